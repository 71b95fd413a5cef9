"""The table of at-most-one schemes, each compared with the formulas as they are."""

from typing import TYPE_CHECKING

from nqbench.common.units import time_unit
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, in_unit, name_column
from nqbench.show.tables.kind import Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption(frame: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    name = captions.name_metric(request.metric)
    penalty = captions.explain_penalty(request.metric)
    return f"At-most-one schemes compared with the formulas as they are by {name}", [
        ("typical_ratio", f"Ratios are those of the scheme to the formula as it is{penalty}."),
        *captions.explain_test(len(frame), "row"),
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
        Column("solved_as_it_is", 6, title="by file"),
        Column("typical_ratio", 9),
        Column("low", 8),
        Column("high", 8),
        Column("p", 9),
        Column("faster", 6),
        Column("slower", 6),
        Column("mean_ratio", 5),
        Column("mean_low", 4.5),
        Column("mean_high", 4.5),
        Column("more_encode_s", 4, title=f"more encode ({unit})", show=in_unit(per_unit)),
    ]
    return Table(columns, frame.to_dicts())
