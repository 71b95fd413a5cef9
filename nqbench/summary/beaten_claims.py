"""What a solver called the best value of a file counts as unsolved where a better one is known."""

from typing import Final

import polars as pl

from nqbench.common.vocabulary import Answer, Outcome, Task, Verdict
from nqbench.summary.observed import PROBLEM

BEATEN: Final = "another run found a better value than the one that this run calls the best"
"""The message of such a run."""

_NEEDED: Final = {"objective", "ideal", "task", "message"}


def without_beaten_claims(records: pl.DataFrame) -> pl.DataFrame:
    """The records with the answer `unknown` and the message `BEATEN` for unchecked runs that claim
    to have found the best value of a file, of which another run has a better one; the same table if
    there is none. The values are those of models that the judge verified. A fast solver that claims
    too much would count as the fastest one otherwise.
    """
    if not set(records.columns) >= _NEEDED or not records["ideal"].count():
        return records
    is_false = (pl.col("verdict") == Verdict.REFUTED) & (pl.col("answer") == Answer.SAT)
    value = pl.when(~is_false.fill_null(value=False)).then("objective")
    distance = (value.cast(pl.Float64) - pl.col("ideal").cast(pl.Float64)).abs()
    is_claim = (
        (pl.col("outcome") == Outcome.FINISHED)
        & (pl.col("verdict") == Verdict.UNCHECKED)
        & (pl.col("answer") == Answer.SAT)
        & (pl.col("task") == Task.BEST)
    )
    is_beaten = (is_claim & (distance > distance.min().over(PROBLEM))).fill_null(value=False)
    if not records.select(is_beaten.any()).item():
        return records
    return records.with_columns(
        answer=pl.when(is_beaten).then(pl.lit(Answer.UNKNOWN.value)).otherwise("answer"),
        message=pl.when(is_beaten).then(pl.lit(BEATEN)).otherwise("message"),
    )
