"""The table of what each solver did, for the question why one is faster."""

from typing import TYPE_CHECKING, Final

from nqbench.common.units import is_time, time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, in_unit, pair_columns, shown
from nqbench.show.tables.kind import TWO_ARE_NEEDED, Asked, kind

if TYPE_CHECKING:
    import polars as pl

_PER_NS = 1e9


_MEDIANS: Final = ("", "Medians over the runs on problems that every combination solved.")


def _caption(_: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    return "Formulas, and what solvers did with them", [
        _MEDIANS,
        ("median_s", f"Last is the {captions.name_metric(request.metric)}."),
        *captions.list_cautions(request.measured),
    ]


@kind(
    "work",
    place=8,
    help="Show why: sizes of formulas, conflicts and propagations.",
    computes="nqbench.summary.overview:work",
    nothing=TWO_ARE_NEEDED,
    caption=_caption,
    reads=("literals", "conflicts", "decisions", "propagations"),
)
def work(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each combination."""
    unit, per_unit = (
        time_unit(frame["median_s"]) if is_time(request.metric) else (request.metric, 1.0)
    )
    title = request.metric.removesuffix("_s").replace("_", " ")
    columns = [
        *pair_columns(frame["encoding"]),
        Column("problems", 2),
        Column("variables", 5, show=_count),
        Column("clauses", 7, show=_count),
        Column("literals_per_clause", 4, title="literals/clause"),
        Column("decisions", 1, show=_count),
        Column("conflicts", 9, show=_count),
        Column("propagations", 8, show=_count),
        Column("propagation_s", 6, title="ns/propagation", show=in_unit(_PER_NS)),
        Column("median_s", 9, title=f"{title} ({unit})", show=in_unit(per_unit)),
    ]
    return Table(columns, frame.to_dicts(), below=_BELOW)


_BELOW: Final = (
    _MEDIANS,
    ("conflicts", "A conflict is a dead end of the search."),
    ("propagations", "A propagation is a literal that follows."),
    ("", "- is what a backend does not count. See"),
    ("", "https://nqbench.github.io/nqbench/explanation/why/"),
)


def _count(value: float | None) -> str:
    return shown(value if value is None or value % 1 else int(value))
