"""What was not measured in one of two campaigns.

A comparison is silent about what it cannot compare. A solver that does not work has no slow run and
no changed answer, so what is missing has to be found separately.
"""

from typing import Final

import polars as pl

from nqbench.summary.observed import BOARD, PAIR, TITLE

MEASURED: Final = "measured"
_SKIPPED: Final = "skipped"

ABSENT: Final = ("no combination", "no problem", "no repeat")
"""What a campaign lacks that lacks a run: the first of these that applies."""

LEFT_OUT: Final = "left out"
"""A run that was measured, but that a condition left out of its campaign only."""

FAILED: Final = ("unavailable", "invalid", "crashed", "capped")
"""The outcomes of runs that measured nothing."""

_KEYS: Final = [*PAIR, *BOARD, "repeat"]
_GROUP: Final = [*PAIR, "old", "new"]

_STATE: Final = (
    pl.when(pl.col("outcome").is_in([*FAILED, _SKIPPED]))
    .then("outcome")
    .otherwise(pl.lit(MEASURED))
    .alias("state")
)


def missing(
    old: pl.DataFrame,
    new: pl.DataFrame,
    unfiltered: tuple[pl.DataFrame, pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """Return the runs that cannot be compared, because a campaign lacks them or did not measure
    them. Runs are the same if combination, problem, task and repeat are; seeds may differ.

    One row for each combination and reason. Columns: encoding, backend, old and new (what either
    campaign has: `measured`, `skipped`, `unavailable`, `invalid`, `crashed`, `capped`, or `no
    combination`, `no problem` or `no repeat`: see `ABSENT`), problems and runs (numbers), example
    (the first problem), why (the message of a run that was not measured; null if there is none).

    `unfiltered` are the campaigns from which a condition chose old and new. A run that it left out
    of one of them only is listed as what became of it there, or as `left out` if it was measured.

    Runs that both campaigns skipped are not listed: each says that a smaller n reached a limit.
    """
    runs = _states(old).join(
        _states(new), on=_KEYS, how="full", coalesce=True, nulls_equal=True, suffix="_new"
    )
    measured_too = pl.col("state_whole").replace({MEASURED: LEFT_OUT})
    for side, suffix, records in zip(
        ("old", "new"), ("", "_new"), unfiltered or (old, new), strict=True
    ):
        states, state, message = _states(records), f"state{suffix}", f"message{suffix}"
        runs = (
            runs.with_columns(_absent(runs, states).alias("absent"))
            .join(
                states.rename({"state": "state_whole", "message": "message_whole"}),
                on=_KEYS,
                how="left",
                nulls_equal=True,
                maintain_order="left",
            )
            .with_columns(
                pl.coalesce(state, measured_too, "absent").alias(side),
                pl.when(pl.col(state).is_null())
                .then("message_whole")
                .otherwise(message)
                .alias(message),
            )
            .drop("absent", "state_whole", "message_whole")
        )
    alike = (pl.col("old") == pl.col("new")) & pl.col("new").is_in([MEASURED, _SKIPPED])
    # The newer reason first: it is the one to do something about.
    messages = [
        pl.when(~pl.col(side).is_in([MEASURED, LEFT_OUT])).then(pl.col(message))
        for side, message in (("new", "message_new"), ("old", "message"))
    ]
    return (
        runs.filter(~alike)
        .with_columns(TITLE, why=pl.coalesce(messages))
        .sort([*PAIR, "n", "family", "instance", "task", "repeat"])
        .group_by(_GROUP, maintain_order=True)
        .agg(
            problems=pl.struct(*BOARD).n_unique(),
            runs=pl.len(),
            example=pl.col("title").first(),
            why=pl.col("why").drop_nulls().first(),
        )
        .sort(_GROUP)
    )


def _states(records: pl.DataFrame) -> pl.DataFrame:
    """What became of each run, and the message about it. Of several records of a run, one that was
    measured counts, and then one that was skipped.
    """
    order = pl.col("state").replace_strict({MEASURED: 0, _SKIPPED: 1}, default=2)
    message = pl.when(pl.col("message") != "").then(pl.col("message"))
    return (
        records.select(*_KEYS, _STATE, message.alias("message"))
        .sort(order, maintain_order=True)
        .unique(_KEYS, keep="first", maintain_order=True)
    )


def _absent(runs: pl.DataFrame, side: pl.DataFrame) -> pl.Series:
    """For each of the runs, what the side would lack if it lacked the run."""
    is_there = pl.lit(value=True).alias("known")
    combination, problem = (
        runs.select(keys).join(
            side.select(keys).unique().with_columns(is_there),
            on=keys,
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )["known"]
        for keys in ([*PAIR], [*PAIR, *BOARD])
    )
    no_combination, no_problem, no_repeat = map(pl.lit, ABSENT)
    absent = (
        pl.when(combination.is_null()).then(no_combination).when(problem.is_null()).then(no_problem)
    )
    return pl.select(absent.otherwise(no_repeat)).to_series()
