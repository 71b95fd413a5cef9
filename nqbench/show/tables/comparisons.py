"""The tables that compare two combinations in each row."""

from typing import TYPE_CHECKING

from nqbench.common.metrics import SCORE_NAME
from nqbench.common.units import is_time
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, name_column, shown
from nqbench.show.tables.kind import TWO_ARE_NEEDED, Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption_of_pairs(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    by_problem = captions.explain_pairing(request.records, request.metric)
    return f"Comparisons of every two combinations by {captions.name_metric(request.metric)}", [
        ("typical_ratio", f"Ratios are those of the first to the second, {by_problem}."),
        *captions.list_cautions(request.measured),
        *captions.explain_test(len(frame)),
    ]


@kind(
    "pairs",
    place=2,
    help="Compare every two combinations of encoding and backend.",
    computes="nqbench.summary.comparisons:comparisons",
    nothing=TWO_ARE_NEEDED,
    caption=_caption_of_pairs,
)
def pairs(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each two combinations."""
    return _comparison_table([name_column("first"), name_column("second")], frame, request.metric)


def _caption_of_best(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    best = frame["first"][0] if len(frame) else "the best"
    by_problem = captions.explain_pairing(request.records, request.metric)
    name = captions.name_metric(request.metric)
    is_best = f", which has the least {SCORE_NAME}," if _is_of_best(frame, request) else ""
    return f"{best}{is_best} compared with the others by {name}", [
        ("typical_ratio", f"Ratios are those of {best} to the other, {by_problem}."),
        *captions.list_cautions(request.measured),
        *captions.explain_test(len(frame) * (len(frame) + 1) // 2),
    ]


@kind(
    "best",
    place=3,
    help="Compare the combination of least PAR-2 with all others.",
    computes="nqbench.summary.comparisons:comparisons_with_best",
    nothing=TWO_ARE_NEEDED,
    caption=_caption_of_best,
)
def best(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each combination except the best, whose name is above the table."""
    table = _comparison_table([name_column("second", title="other")], frame, request.metric)
    if frame.is_empty():
        return table
    one = shown(frame["first"][0])
    is_best = _is_of_best(frame, request)
    above = f"{one} has the least {SCORE_NAME}. Compared" if is_best else f"{one} compared"
    return Table(table.columns, table.rows, above=f"{above} with the others:")


def _is_of_best(frame: "pl.DataFrame", request: Asked) -> bool:
    """Whether the combination that the others are compared with is that of the least PAR-2."""
    from nqbench.summary import comparisons_with_best

    best = comparisons_with_best(request.measured, request.metric)["first"]
    return len(frame) > 0 and frame["first"][0] in best


def _comparison_table(names: list[Column], frame: "pl.DataFrame", metric: str) -> Table:
    if_better, if_worse = ("faster", "slower") if is_time(metric) else ("fewer", "more")
    columns = [
        *names,
        Column("problems", 3),
        Column("typical_ratio", 9),
        Column("low", 8),
        Column("high", 8),
        Column("p", 10),
        Column("faster", 7, title=if_better),
        Column("slower", 7, title=if_worse),
        Column("equal", 2),
        *_solved(frame),
        Column("mean_ratio", 6),
        Column("mean_low", 5),
        Column("mean_high", 5),
        *_resting(frame),
    ]
    return Table(columns, frame.to_dicts())


def _solved(frame: "pl.DataFrame") -> list[Column]:
    """The columns about problems that only one of two solved, if there are any."""
    if not frame.select("only_first", "only_second").sum_horizontal().sum():
        return []
    return [Column("only_first", 4), Column("only_second", 4), Column("p_solved", 4.5)]


def _resting(frame: "pl.DataFrame") -> list[Column]:
    """The columns about a ratio that rests on one problem, if one does."""
    if not frame["rests_on"].is_not_null().any():
        return []
    return [Column("rests_on", 1), Column("mean_without", 1.5)]
