"""Figures from summaries, all in the style that `looks` and `layout` define."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import matplotlib.style
import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg

from nqbench import summary
from nqbench.errors import InputError
from nqbench.names import suggestion
from nqbench.plots.cactus import cactus
from nqbench.plots.distribution import distribution
from nqbench.plots.heatmap import heatmap
from nqbench.plots.layout import Figure
from nqbench.plots.over_instances import time_over_instances
from nqbench.plots.over_n import memory_over_n, time_over_n
from nqbench.plots.phases import phases
from nqbench.plots.portfolio import portfolio
from nqbench.plots.ranks import ranks
from nqbench.plots.scaling import scaling
from nqbench.plots.scatter import can_be_drawn as scatter_can_be_drawn
from nqbench.plots.scatter import scatter
from nqbench.plots.sheet import WIDTHS, Sheet
from nqbench.plots.sizes import sizes
from nqbench.plots.transition import transition
from nqbench.summary import PAIR, POSSIBLE, SIZED

STYLE: Final = Path(__file__).with_name("style.mplstyle")

FORMATS: Final = ("png", "svg", "pdf")
"""The file formats of figures."""

USUAL_FORMATS: Final = ("png", "svg")

_NO_DATE: Final[dict[str, dict[str, None]]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Without a date, the same figure gives the same file."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure: the function that draws it, its arguments besides the records and the sheet
    (named as in `draw`), the records that can fill it, and whether it draws over n, which only
    boards have.
    """

    draw: Callable[..., Figure]
    told: tuple[str, ...] = ("time",)
    fits: Callable[[pl.DataFrame], bool] = lambda _: True
    over_n: bool = False

    def of(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records to draw: without those of unavailable solvers, and without those of invalid
        files.
        """
        possible = records.filter(POSSIBLE)
        return possible.filter(SIZED) if self.over_n else possible

    def can_be_drawn(self, records: pl.DataFrame) -> bool:
        """Whether these records have data for the figure."""
        of = self.of(records)
        return len(of) > 0 and self.fits(of)


def _several_pairs(records: pl.DataFrame) -> bool:
    return records.select(PAIR).n_unique() > 1


def _comparable(records: pl.DataFrame) -> bool:
    return _several_pairs(records) and not summary.common(records).is_empty()


KINDS: Final = {
    "time-over-n": Kind(time_over_n, over_n=True),
    "total-over-n": Kind(partial(time_over_n, time=summary.TOTAL), told=(), over_n=True),
    "time-over-instances": Kind(
        time_over_instances,
        fits=lambda records: not summary.over_instances(records).is_empty(),
    ),
    "sizes": Kind(sizes, told=(), over_n=True),
    "phases": Kind(phases, told=()),
    "cactus": Kind(cactus),
    "distribution": Kind(
        distribution,
        fits=lambda records: not summary.distribution(records).is_empty(),
    ),
    "heatmap": Kind(heatmap, fits=_comparable),
    "transition": Kind(
        transition,
        told=(),
        fits=lambda records: bool(records["density"].is_not_null().any()),
    ),
    "memory-over-n": Kind(
        memory_over_n,
        told=(),
        fits=lambda records: bool(records["peak_rss_bytes"].is_not_null().any()),
        over_n=True,
    ),
    "scatter": Kind(scatter, told=("time", "pairs"), fits=scatter_can_be_drawn),
    "portfolio": Kind(portfolio, fits=_comparable),
    "ranks": Kind(ranks, fits=_comparable),
    "scaling": Kind(scaling, fits=lambda records: records["n"].n_unique() > 2, over_n=True),
}

AT_A_GLANCE: Final = (
    "time-over-n", "total-over-n", "time-over-instances", "sizes", "phases", "cactus", "heatmap",
    "transition", "distribution",
)  # fmt: skip
"""The figures that a campaign draws at its end."""


def kinds_of(records: pl.DataFrame, kinds: Iterable[str] = KINDS) -> list[str]:
    """The kinds of figures that these records have data for."""
    return [kind for kind in kinds if KINDS[kind].can_be_drawn(records)]


def check_formats(formats: Iterable[str]) -> None:
    """Raise `InputError` if a format is unknown."""
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"unknown format '{name}': choose from {', '.join(FORMATS)}")


def check(records: pl.DataFrame, kind: str) -> None:
    """Raise `InputError` for an unknown figure, or if these records have no data for it."""
    if kind not in KINDS:
        raise InputError(f"unknown plot '{kind}': {suggestion(kind, KINDS)}")
    if not KINDS[kind].can_be_drawn(records):
        possible = ", ".join(kinds_of(records))
        raise InputError(
            f"plot '{kind}' cannot be drawn from these records: choose from {possible}"
        )


def draw(
    records: pl.DataFrame,
    kind: str,
    time: str = "solve_s",
    pairs: Sequence[str] = (),
    width: str = "two",
) -> Figure:
    """Draw a figure of the records. `time` is the column to show, if the figure can show any time.
    `pairs` are the two combinations of a scatter plot (default: the best ones). `width` is one of
    `WIDTHS`, in columns of a paper. Raises `InputError` like `check`.
    """
    if kind not in KINDS or not pairs:  # named pairs are checked when they are drawn
        check(records, kind)
    if width not in WIDTHS:
        raise InputError(f"unknown width '{width}': choose from {', '.join(WIDTHS)}")
    said = {"time": time, "pairs": pairs}
    told = {name: said[name] for name in KINDS[kind].told}
    sheet = Sheet.of(records.filter(POSSIBLE), width)
    with _style(width):
        figure = KINDS[kind].draw(KINDS[kind].of(records), sheet, **told)
        FigureCanvasAgg(figure)
        return figure


def _style(width: str) -> AbstractContextManager[None]:
    return matplotlib.style.context([STYLE, WIDTHS[width].settings()])


def save_all(
    records: pl.DataFrame,
    folder: Path,
    kinds: Iterable[str],
    time: str = "solve_s",
    pairs: Sequence[str] = (),
    *,
    width: str = "two",
    formats: Sequence[str] = USUAL_FORMATS,
) -> list[Path]:
    """Draw figures of the records, as `draw` does, in some of `FORMATS`; return the files written.

    Raises `InputError` for an unknown format, and `OSError` if the folder cannot be written.
    """
    check_formats(formats)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in kinds:
        figure = draw(records, kind, time, pairs, width)
        with _style(width):
            for suffix in formats:
                path = folder / f"{kind}.{suffix}"
                figure.savefig(path, metadata=_NO_DATE.get(suffix, {}))
                figure.set_layout_engine(None)  # keep the layout of the first drawing
                written.append(path)
    return written
