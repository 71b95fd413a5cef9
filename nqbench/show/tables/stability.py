"""The table of how easily another combination would have been first."""

from typing import TYPE_CHECKING

from nqbench.common.units import is_time, percent, percents, seconds, thousands, time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import (
    UNKNOWN,
    Column,
    Sentence,
    Table,
    in_unit,
    name_column,
    pair_columns,
)
from nqbench.show.tables.kind import Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    name = captions.name_metric(request.metric)
    return f"Draws of a quarter of the {_units(frame)} by {name}", [
        *_explain(frame, request),
        *captions.list_cautions(request.measured),
    ]


def _units(frame: "pl.DataFrame") -> str:
    return "groups of problems" if frame["groups"].is_not_null().any() else "problems"


def _explain(frame: "pl.DataFrame", request: Asked) -> list[Sentence]:
    """What the numbers are."""
    from nqbench.summary import par_of
    from nqbench.summary.stability import CLOSE, DRAWS

    par = par_of(frame)
    seeds = (
        "Seeds are drawn again within each problem."
        if frame["has_seeds"].all()
        else "What other seeds would change is not included."
    )
    return [
        (
            "first_share",
            f"First: the share of {thousands(DRAWS)} draws, with replacement, of a quarter of the "
            f"{_units(frame)} in which PAR-{par} is the least.",
        ),
        ("first_share close_share", f"Close: at most {percent(CLOSE)} above the least."),
        captions.explain_par(par, request.records, request.metric),
        (
            "family_share",
            "By family: in draws of a quarter of the families or folders, as a whole.",
        ),
        ("limits", "Limits: where it would be first if slower runs counted as unsolved."),
        (
            "without",
            "Without: the families or folders without which it would be first; for the first, "
            "those without which it would not.",
        ),
        ("", seeds),
    ]


@kind(
    "stability",
    place=7,
    help="Show in how many draws of a quarter of the problems each is first.",
    computes="nqbench.summary.stability:stability",
    nothing="nothing to compare: this needs two combinations, 20 problems that all of them were "
    "measured on, and no capped runs",
    caption=_caption,
)
def stability(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each combination, with what it is first by."""
    import polars as pl

    from nqbench.summary import noun, par_column, par_of
    from nqbench.summary.findings.leaders import describe

    par = par_of(frame)
    par_s = par_column(par)
    times = [*frame[par_s], *frame["median_s"]]
    unit, per_unit = time_unit(times) if is_time(request.metric) else (request.metric, 1.0)
    limits = pl.struct("limit_low_s", "limit_high_s").map_elements(
        lambda ends: _range(ends["limit_low_s"], ends["limit_high_s"]), return_dtype=pl.String
    )
    by_family = Column("family_share", 7.5, title="by family (%)", show=percents)
    columns = [
        *pair_columns(frame["encoding"]),
        Column(par_s, 9, title=f"PAR-{par} ({unit})", show=in_unit(per_unit)),
        Column("first_share", 10, title="first (%)", show=percents),
        Column("close_share", 8, title="close (%)", show=percents),
        *([by_family] if frame["family_share"].is_not_null().any() else []),
        Column("median_s", 6, title=f"median ({unit})", show=in_unit(per_unit)),
        *([Column("limits", 7)] if frame["limit_low_s"].is_not_null().any() else []),
        *([name_column("without", 5)] if frame["without"].is_not_null().any() else []),
    ]
    sentences = [("", describe(frame, noun(request.records)))] if len(frame) else []
    below = [*sentences, *(_explain(frame, request) if sentences and request.is_first else [])]
    return Table(columns, frame.with_columns(limits=limits).to_dicts(), below=below)


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return UNKNOWN
    return seconds(low) if low == high else f"{seconds(low)} to {seconds(high)}"
