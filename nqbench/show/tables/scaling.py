"""The table of how the time grows with n."""

from typing import TYPE_CHECKING

from nqbench.common.units import is_time
from nqbench.show.tables import captions
from nqbench.show.tables.columns import Column, Sentence, Table, pair_columns
from nqbench.show.tables.kind import Asked, kind

if TYPE_CHECKING:
    import polars as pl


def _caption(_: "pl.DataFrame", request: Asked) -> tuple[str, list[Sentence]]:
    return f"How the median {captions.name_metric(request.metric)} grows with n", [
        (
            "model",
            "Polynomial is a times n to the power of b, and exponential is a times b to the power "
            "of n, both fitted by least squares to the logarithms of the medians.",
        ),
        ("", "Not fitted: sizes below 1 ms and sizes with mostly unsolved runs."),
        ("low high", "Low and high are the 95 % interval of b."),
        ("verdict", "The verdict is by the AIC."),
    ]


@kind(
    "scaling",
    place=4,
    help="Fit how the time grows with n.",
    computes="nqbench.summary.scaling:scaling",
    nothing="nothing to fit: this needs problems with a size",
    caption=_caption,
    prints_empty=True,
)
def scaling(frame: "pl.DataFrame", request: Asked) -> Table:
    """Two rows for each combination, one for each model. An undecided fit has no b."""
    import polars as pl

    decided = pl.when(pl.col("verdict") != "undecided")
    columns = [
        *pair_columns(frame["encoding"]),
        Column("model", 7),
        Column("sizes", 4),
        Column("first_n", 2),
        Column("last_n", 3),
        Column("unsolved", 2),
        Column("a", 1, title="a (s)" if is_time(request.metric) else "a"),
        Column("b", 8),
        Column("low", 6),
        Column("high", 6),
        Column("residual", 5),
        Column("verdict", 9),
    ]
    curve = (decided.then(name).alias(name) for name in ("a", "b", "low", "high"))
    return Table(columns, frame.with_columns(curve).to_dicts())
