"""Figures from summaries, all in the style that `style` and `layout` define."""

import contextlib
import math
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from pathlib import Path
from typing import Final

import matplotlib.style
import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg

from nqbench import summary
from nqbench.common import files, units
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.spelling import suggestion
from nqbench.common.vocabulary import as_combination
from nqbench.plugins.declared import PLOTS, declared
from nqbench.show import latex
from nqbench.show.paper import Paper, paper
from nqbench.show.plots import pgf
from nqbench.show.plots.kind import DECLARED
from nqbench.show.plots.layout import Figure, Sheet, Stack
from nqbench.show.plots.style import Looks
from nqbench.summary import NAMED, POSSIBLE, SIZED, description
from nqbench.summary.findings.cautions import Output, cautions

STYLE: Final = Path(__file__).with_name("style.mplstyle")

WITHOUT_LATEX: Final = ("png", "svg", "pdf")
"""The file formats of figures that need no other program."""

FORMATS: Final = (*WITHOUT_LATEX, "pgf")
"""The file formats of figures."""

USUAL_FORMATS: Final = ("png", "svg")

CAPTION: Final = "tex"
"""The ending of the file with the caption of a figure."""

_NO_DATE: Final[dict[str, dict[str, None]]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
}
"""Without a date, the same figure gives the same file."""


for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)
for _entry in declared(PLOTS).values():
    with contextlib.suppress(UnavailableError):  # one that is broken stops no other
        _entry.load()

KINDS: Final = {
    kind.name: kind
    for kind in sorted(DECLARED, key=lambda kind: (kind.place or math.inf, kind.name))
}
"""Each kind of figure by its name: first those that a campaign draws at its end."""

AT_A_GLANCE: Final = tuple(name for name, kind in KINDS.items() if kind.place)
"""The figures that a campaign draws at its end."""


def kinds_of(records: pl.DataFrame, kinds: Iterable[str] = KINDS) -> list[str]:
    """The kinds of figures that these records have data for."""
    return [kind for kind in kinds if KINDS[kind].can_be_drawn(records)]


def check_formats(formats: Iterable[str]) -> None:
    """Raise `InputError` if a format is unknown, and `UnavailableError` for pgf without LaTeX."""
    for name in formats:
        if name not in FORMATS:
            raise InputError(f"unknown format '{name}': choose from {', '.join(FORMATS)}")
        if name == "pgf":
            pgf.engine()


def check(records: pl.DataFrame, kind: str) -> None:
    """Raise `InputError` for an unknown figure, or if these records have no data for it."""
    if kind not in KINDS:
        raise InputError(f"unknown plot '{kind}': {suggestion(kind, KINDS)}")
    if KINDS[kind].can_be_drawn(records):
        return
    figure = KINDS[kind]
    several = " of one family" if figure.over_n and records["family"].n_unique() > 1 else ""
    but_measured = f", but {_measured(records)}" if figure.over_n else ""
    drawable_kinds = ", ".join(kinds_of(records))
    instead = f": see {drawable_kinds}" if drawable_kinds else ""
    raise InputError(f"plot '{kind}' needs {figure.needs}{several}{but_measured}{instead}")


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
    (default: the best ones). `width` is a width as `paper` takes it. The combinations to
    `highlight` have strong colours, and all others are grey. Without `title`, what is measured is
    not said above the panels. Raises `InputError` like `check`, and for unknown combinations.
    """
    if kind not in KINDS or not pairs:  # named pairs are checked when they are drawn
        check(records, kind)
    sheet_of = paper(width)
    drawable = KINDS[kind].select_possible(records)
    looks = Looks.of(drawable, highlight)
    records_by_figure = KINDS[kind].by_figure(drawable)
    pairs = [as_combination(pair) for pair in pairs]
    settings = {"time": time, "pairs": pairs}
    arguments = {name: settings[name] for name in KINDS[kind].told}
    records_by_family = (
        _with_both(drawable, pairs)
        if "pairs" in arguments and pairs
        else KINDS[kind].parts(records)
    )
    with style_of(sheet_of):
        names = [description.family(family) for family in records_by_family]
        stack = Stack(sheet_of, names) if len(records_by_family) > 1 else None
        for family, family_records in records_by_family.items():
            measured = records_by_figure.filter(family=family) if family else records_by_figure
            notes = [*_left_out(measured, family_records)] if KINDS[kind].ranks else []
            notes += cautions(family_records, Output.FIGURE)
            campaign = description.campaign(measured, family=not stack)
            sheet = Sheet(sheet_of, looks, campaign, title, notes, stack)
            figure = KINDS[kind].draw(family_records, sheet, **arguments)
        FigureCanvasAgg(figure)
        figure.records = drawable
        return figure


def _with_both(records: pl.DataFrame, pairs: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The records of the families with runs of both combinations; if there are none, all records,
    and the figure says what is missing.
    """
    families = {
        family: own
        for family, own in summary.by_family(records).items()
        if set(pairs) <= set(own.select(NAMED).to_series())
    }
    return families or {"": records}


def _left_out(measured: pl.DataFrame, compared: pl.DataFrame) -> Iterator[str]:
    """The note on problems that were not measured with every combination."""
    all_of, some = (summary.problem_count(records) for records in (measured, compared))
    if note := summary.Coverage(some, all_of, summary.noun(measured)).note:
        yield note


def style_of(sheet_of: Paper) -> AbstractContextManager[None]:
    """The style of all figures on this paper, until the block ends."""
    return matplotlib.style.context([STYLE, sheet_of.settings()])


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
    Without `title`, each has its caption in a file for LaTeX.

    Raises `InputError` and `UnavailableError` like `check_formats`, and `InputError` if the folder
    cannot be written.
    """
    check_formats(formats)
    files.make_folder(folder, parents=True)
    paths = []
    for kind in kinds:
        figure = draw(records, kind, time, pairs, width, highlight=highlight, title=title)
        with style_of(paper(width)):
            lay_out(figure)
            for suffix in formats:
                path = folder / f"{kind}.{suffix}"
                if suffix == "pgf":
                    pgf.write(figure, path)
                else:
                    with files.written(path) as file:
                        figure.savefig(file, format=suffix, metadata=_NO_DATE.get(suffix, {}))
                paths.append(path)
        if not title:
            path = folder / f"{kind}.{CAPTION}"
            files.write(path, _caption(kind, figure.caption).encode())
            paths.append(path)
    return paths


def _caption(kind: str, text: str) -> str:
    """The caption of a figure without a title, and its label, for a figure of LaTeX."""
    return f"\\caption{{{latex.breakable(text)}}}\n\\label{{fig:{kind}}}\n"


def lay_out(figure: Figure) -> None:
    """Place the parts of a figure for good. Matplotlib would draw it once more to do that, for each
    file that is written.
    """
    if engine := figure.get_layout_engine():
        engine.execute(figure)
        figure.set_layout_engine(None)
