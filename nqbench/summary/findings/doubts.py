"""Which runs had more time or other CPUs than their records say."""

from collections.abc import Iterator
from typing import Final

import polars as pl

from nqbench.summary.findings.wording import counted, counted_by_pair
from nqbench.vocabulary import LEFT, OUTSIDE

_DOUBTS: Final = (
    (
        "spent unexplained time outside load, solve and decode",
        pl.col("message").str.contains(OUTSIDE, literal=True),
    ),
    ("did not stay on the pinned CPUs", pl.col("cpus").str.starts_with(LEFT)),
)


def doubts(records: pl.DataFrame) -> Iterator[str]:
    """Count the runs whose times may be better than those of others for no good reason, one
    sentence for each reason.
    """
    for what, condition in _DOUBTS:
        found = records.filter(condition)
        yield from counted_by_pair(found, f"{counted(len(found), 'run')} {what}")
