"""The table of at-most-one schemes, each compared with the formulas as they are."""

from typing import TYPE_CHECKING

from nqbench.common.units import time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Table, in_unit, name_column
from nqbench.show.tables.kind import Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption(_: "pl.DataFrame", request: Asked) -> tuple[str, list[str]]:
    name = captions.name_metric(request.metric)
    penalty = captions.explain_penalty(request.metric)
    return f"At-most-one schemes compared with the formulas as they are by {name}", [
        "The ratio is the Hodges-Lehmann estimate over the formulas of the scheme to the formula "
        f"as it is, with its 95 % interval{penalty}. Its typical p is that of the two-sided "
        "Wilcoxon signed rank test, corrected by Holm for all rows of a family. The mean ratio is "
        "that of the mean costs, with p of exchanges of the costs, for all rows together.",
    ]


@kind(
    "schemes",
    place=5,
    help="Compare at-most-one schemes with the formulas as they are.",
    computes="nqbench.summary.schemes:schemes",
    nothing="nothing to compare: this needs formulas that were measured as they are and in another "
    "scheme; measure with --amo",
    caption=_caption,
    of_all_groups=True,
)
def schemes(frame: "pl.DataFrame", request: Asked) -> Table:
    """A row for each scheme in each group of records."""
    unit, per_unit = time_unit(frame["more_encode_s"].abs())
    columns = [
        *(name_column(column) for column in request.by if frame[column].n_unique() > 1),
        name_column("encoding", title="scheme"),
        Column("formulas", 7),
        Column("changed", 3),
        Column("runs", 2),
        Column("solved", 6),
        Column("solved_as_it_is", 6, title="as it is"),
        Column("ratio", 8),
        Column("low", 7),
        Column("high", 7),
        Column("typical_p", 3),
        Column("mean_ratio", 9),
        Column("p", 9),
        Column("more_encode_s", 4, title=f"more encode ({unit})", show=in_unit(per_unit)),
    ]
    return Table(columns, frame.to_dicts())
