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

from nqbench import summary, units
from nqbench.errors import InputError
from nqbench.names import suggestion
from nqbench.plots import words
from nqbench.plots.cactus import cactus
from nqbench.plots.distribution import distribution
from nqbench.plots.heatmap import heatmap
from nqbench.plots.layout import Figure, Stack
from nqbench.plots.looks import Looks
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
from nqbench.summary import NAMED, PAIR, POSSIBLE, SIZED
from nqbench.vocabulary import as_combination

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
    """A kind of figure of one family: the function that draws it, its arguments besides the records
    and the sheet (named as in `draw`), what it needs, in words and as a test of records, whether it
    draws over n, which formulas do not have, and whether it ranks combinations, so that it draws
    only problems that all of them were measured on.
    """

    draw: Callable[..., Figure]
    told: tuple[str, ...] = ("time",)
    needs: str = "runs that were possible"
    fits: Callable[[pl.DataFrame], bool] = lambda _: True
    over_n: bool = False
    ranks: bool = False

    def of(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records to draw: without those of unavailable solvers, and without those of invalid
        files.
        """
        possible = records.filter(POSSIBLE)
        if self.over_n:
            possible = possible.filter(SIZED)
        return summary.on_common(possible) if self.ranks else possible

    def parts(self, records: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """The records of each family that have data for the figure."""
        each = {family: self.of(own) for family, own in summary.by_family(records).items()}
        return {name: own for name, own in each.items() if len(own) and self.fits(own)}

    def can_be_drawn(self, records: pl.DataFrame) -> bool:
        """Whether these records have data for the figure."""
        return bool(self.parts(records))


def _several_pairs(records: pl.DataFrame) -> bool:
    return records.select(PAIR).n_unique() > 1


def _sizes(least: int) -> Callable[[pl.DataFrame], bool]:
    return lambda records: records["n"].n_unique() >= least


def _several_problems(records: pl.DataFrame) -> bool:
    return records.select(summary.BOARD).n_unique() > 1


_over_n = partial(Kind, needs="at least two sizes", fits=_sizes(2), over_n=True)
_over_problems = partial(
    Kind,
    needs="two or more problems that all of several combinations ran on",
    fits=lambda records: _several_pairs(records) and _several_problems(records),
    ranks=True,
)

KINDS: Final = {
    "time-over-n": _over_n(time_over_n),
    "total-over-n": _over_n(partial(time_over_n, time=summary.TOTAL), told=()),
    "time-over-instances": Kind(
        time_over_instances,
        needs="formulas in files",
        fits=lambda records: not summary.over_instances(records).is_empty(),
    ),
    "sizes": _over_n(sizes, told=()),
    "phases": Kind(
        phases,
        told=(),
        needs="finished runs of problems that all combinations ran on",
        fits=lambda records: bool((records["outcome"] == "finished").any()),
        ranks=True,
    ),
    "cactus": Kind(
        cactus,
        needs="two or more problems that all combinations ran on",
        fits=_several_problems,
        ranks=True,
    ),
    "distribution": Kind(
        distribution,
        needs="ten or more solved runs of one problem",
        fits=lambda records: not summary.distribution(records).is_empty(),
    ),
    "heatmap": Kind(
        heatmap,
        needs="problems that all of several combinations ran on",
        fits=_several_pairs,
        ranks=True,
    ),
    "transition": Kind(
        transition,
        told=(),
        needs="random problems with a density",
        fits=lambda records: bool(records["density"].is_not_null().any()),
    ),
    "memory-over-n": _over_n(
        memory_over_n,
        told=(),
        fits=lambda records: records.drop_nulls("peak_rss_bytes")["n"].n_unique() > 1,
    ),
    "scatter": Kind(
        scatter,
        told=("time", "pairs"),
        needs="a problem that both combinations ran on",
        fits=scatter_can_be_drawn,
    ),
    "portfolio": _over_problems(portfolio),
    "ranks": _over_problems(ranks),
    "scaling": _over_n(scaling, needs="at least three sizes", fits=_sizes(3)),
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
    if KINDS[kind].can_be_drawn(records):
        return
    asked = KINDS[kind]
    several = " of one family" if asked.over_n and records["family"].n_unique() > 1 else ""
    there = f", but {_measured(records)}" if asked.over_n else ""
    possible = ", ".join(kinds_of(records))
    instead = f": see {possible}" if possible else ""
    raise InputError(f"plot '{kind}' needs {asked.needs}{several}{there}{instead}")


def _measured(records: pl.DataFrame) -> str:
    """The sizes of the problems, in words."""
    sizes = records.filter(POSSIBLE & SIZED)["n"].unique().to_list()
    if not sizes:
        return "no problem here has a size"
    return f"only n = {units.span(sizes)} {'is' if len(sizes) == 1 else 'are'} measured"


def draw(
    records: pl.DataFrame,
    kind: str,
    time: str = "solve_s",
    pairs: Sequence[str] = (),
    width: str = "two",
    *,
    highlight: Sequence[str] = (),
    title: bool = True,
) -> Figure:
    """Draw a figure of the records, of several families one below the other. `time` is the column
    to show, if the figure can show any time. `pairs` are the two combinations of a scatter plot
    (default: the best ones). `width` is one of `WIDTHS`, in columns of a paper. The combinations to
    `highlight` have strong colours, and all others are grey. Without `title`, what is measured is
    not said above the panels. Raises `InputError` like `check`, and for unknown combinations.
    """
    if kind not in KINDS or not pairs:  # named pairs are checked when they are drawn
        check(records, kind)
    if width not in WIDTHS:
        raise InputError(f"unknown width '{width}': choose from {', '.join(WIDTHS)}")
    possible = records.filter(POSSIBLE)
    looks = Looks.of(possible, highlight)
    pairs = [as_combination(pair) for pair in pairs]
    said = {"time": time, "pairs": pairs}
    told = {name: said[name] for name in KINDS[kind].told}
    parts = _with_both(possible, pairs) if "pairs" in told and pairs else KINDS[kind].parts(records)
    with _style(width):
        names = [words.family(family) for family in parts]
        stack = Stack(WIDTHS[width], names) if len(parts) > 1 else None
        for family, part in parts.items():
            whole = possible.filter(family=family) if family else possible
            notes = _left_out(whole, part) if KINDS[kind].ranks else []
            campaign = words.campaign(whole, family=not stack)
            sheet = Sheet(WIDTHS[width], looks, campaign, title, notes, stack)
            figure = KINDS[kind].draw(part, sheet, **told)
        FigureCanvasAgg(figure)
        return figure


def _with_both(records: pl.DataFrame, pairs: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The records of the families with runs of both combinations; if there are none, all records,
    and the figure says what is missing.
    """
    both = {
        family: own
        for family, own in summary.by_family(records).items()
        if set(pairs) <= set(own.select(NAMED).to_series())
    }
    return both or {"": records}


def _left_out(whole: pl.DataFrame, compared: pl.DataFrame) -> list[str]:
    """The note on problems that were not measured with every combination."""
    all_of, some = (part.select(summary.BOARD).n_unique() for part in (whole, compared))
    if some == all_of:
        return []
    noun = summary.noun(whole)
    return [f"Of {units.counted(all_of, noun)}, only the {some} that every combination ran on"]


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
    highlight: Sequence[str] = (),
    title: bool = True,
) -> list[Path]:
    """Draw figures of the records, as `draw` does, in some of `FORMATS`; return the files written.

    Raises `InputError` for an unknown format, and `OSError` if the folder cannot be written.
    """
    check_formats(formats)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in kinds:
        figure = draw(records, kind, time, pairs, width, highlight=highlight, title=title)
        with _style(width):
            for suffix in formats:
                path = folder / f"{kind}.{suffix}"
                figure.savefig(path, metadata=_NO_DATE.get(suffix, {}))
                figure.set_layout_engine(None)  # keep the layout of the first drawing
                written.append(path)
    return written
