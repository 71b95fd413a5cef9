"""The main table: what each combination solved, and what that took."""

from collections.abc import Callable, Container
from typing import TYPE_CHECKING, Any, Final

from nqbench.common.units import is_time, percents, time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, in_unit, pair_columns, shown
from nqbench.show.tables.kind import OVERVIEW, Asked, kind

if TYPE_CHECKING:
    import polars as pl

PAID: Final = {"encode_s": "encode", "load_s": "load", "solve_s": "solve", "total_s": "total"}
"""The medians that the table always has, with their titles."""


EXPLAINED_SCORES: Final[list[Sentence]] = [
    ("gap", "Gap: mean primal gap to the best known values at the end (Berthold 2013)."),
    ("integral_s", "Integral: that gap over the time limit."),
    ("mse_score", "MSE score: that of incomplete tracks of the MaxSAT Evaluation."),
]
"""What the scores of `files_columns` mean."""


def files_columns(
    names: Container[str],
    count: Callable[[Any], str] = shown,
    number: Callable[[float | None, float], str] = lambda value, size: in_unit(1 / size)(value),
) -> list[Column]:
    """The columns of how searches for the best value of files ended, and of their scores, if these
    are among the names. `count` shows a count, and `number` a number in a unit of a size.
    """
    counts = {"files": 8.5, "optimal": 9.5, "claimed": 8.8, "best_found": 8.7, "infeasible": 8.2}
    counts |= {"open": 8.6, "at_best": 8.3}
    scores = {"gap": (8.9, "gap (%)", 0.01), "integral_s": (8.95, "integral (s)", 1.0)}
    scores |= {"mse_score": (7.5, "MSE score", 1.0)}
    columns = [
        *(Column(name, place, show=count, right=True) for name, place in counts.items()),
        *(
            Column(name, place, title=title, show=_in_unit(number, size), right=True)
            for name, (place, title, size) in scores.items()
        ),
    ]
    return [column for column in columns if column.name in names]


def _in_unit(
    number: Callable[[float | None, float], str], size: float
) -> Callable[[float | None], str]:
    return lambda value: number(value, size)


def _caption(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    from nqbench.summary import par_of

    name = captions.name_metric(request.metric)
    return f"Solved runs, median times and PAR-{par_of(frame)} of the {name}", [
        *captions.explain_times(frame, request.records, request.metric),
        *captions.list_cautions(request.measured),
    ]


@kind(
    OVERVIEW,
    place=1,
    computes="nqbench.summary.overview:overview",
    nothing="nothing to summarise: no run was possible",
    caption=_caption,
    elsewhere="nqbench summary --json",
    has_findings=True,
    reads=("conflicts",),
)
def overview(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each combination, with times in one unit; a narrow terminal leaves out
    uninformative columns first, and has only the digits that are no noise. A paper has the share
    that was solved and the number of wrong answers, even if all are solved and right.
    """
    import polars as pl

    from nqbench.summary import has_many_repeats, par_column, par_of, sgm_column, sgm_of
    from nqbench.summary.intervals import digits_of_times

    metric, in_paper = request.metric, request.in_paper
    par, sgm = par_of(frame), sgm_of(frame)
    means = [par_column(par), *([] if sgm is None else [sgm_column(sgm)])]
    timed = [*PAID, *(["median_s", *means] if is_time(metric) else [])]
    unit, per_unit = time_unit(value for name in timed for value in frame[name])

    digits = 3 if in_paper else digits_of_times(request.measured)

    def time(name: str, importance: float, title: str) -> Column:
        return Column(name, importance, title=f"{title} ({unit})", show=in_unit(per_unit, digits))

    def of_metric(name: str, importance: float, title: str) -> Column:
        if is_time(metric):
            return time(name, importance, title)
        return Column(name, importance, title=f"{title} ({metric})")

    # An imported run has only the time that its source states.
    paid = {name: name == "solve_s" or frame[name].is_not_null().any() for name in PAID}
    importance = {"encode_s": 4, "load_s": 3.5, "solve_s": 5, "total_s": 6}
    with_share = in_paper or (frame["solved"] < frame["runs"]).any()
    spread = {"q1_s": "quartile 1", "q3_s": "quartile 3", "p95_s": "95 %"}
    with_spread = request.measured.has_repeats and has_many_repeats(request.records)
    with_beats = bool(frame["beats"].fill_null(0).sum())
    columns = [
        *pair_columns(frame["encoding"]),
        Column("of_runs", 10, title="solved"),
        *files_columns(frame.columns),
        *([Column("solved_share", 1, title="solved (%)", show=percents)] if with_share else []),
        *(time(name, importance[name], title) for name, title in PAID.items() if paid[name]),
        *([of_metric("median_s", 7, "median")] if metric not in PAID else []),
        *(of_metric(name, 0, title) for name, title in spread.items() if with_spread),
        *(of_metric(mean, 9, f"PAR-{par}" if mean in means[:1] else "SGM") for mean in means),
        *([Column("beats", 3.3), Column("beaten_by", 3.2)] if with_beats else []),
        *([Column("largest_n", 3)] if frame["largest_n"].is_not_null().any() else []),
        *([Column("wrong", 8)] if in_paper or frame["wrong"].sum() else []),
        *([Column("unsolved", 5, wraps=12)] if any(frame["unsolved"]) else []),
    ]
    of_runs = pl.format("{}/{}", "solved", "runs")
    has_times = request.is_first and frame["problems"].sum()
    legend = captions.explain_times(frame, request.records, metric) if has_times else []
    legend += EXPLAINED_SCORES if request.is_first else []
    below = [*legend, *captions.list_cautions(request.measured)]
    return Table(columns, frame.with_columns(of_runs=of_runs).to_dicts(), below=below)
