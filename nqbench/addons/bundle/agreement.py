"""What agrees between the runs of a bundle and the same runs measured again.

Answers, formulas and counters of the same solver do not depend on the machine: they are compared
run by run, exactly. Times are compared as ratios, as `nqbench compare` does, but not divided by the
speed of the machine, which is a part of the question here.
"""

import math
from collections.abc import Collection, Mapping
from typing import Final

import polars as pl

from nqbench.addons.compare.changes import ANSWERS, COUNTERS, SIZES, times
from nqbench.records.frame import told_apart
from nqbench.summary import PAIR
from nqbench.summary.paired import LEVEL

_COUNTERS: Final = tuple(name for name in COUNTERS if name not in ANSWERS)
_ANSWERED: Final = ("finished", "work-limit")
_HERE: Final = "_here"
_NAMED: Final = ("run_id", *PAIR, "family", "n", "instance", "repeat")
_GROUPS: Final = {"answers": ANSWERS, "formulas": SIZES, "counters": _COUNTERS}


def joined(old: pl.DataFrame, new: pl.DataFrame, again: Mapping[str, str]) -> pl.DataFrame:
    """A row for each run of `old` that was measured again, with the columns of both: those of `new`
    end in `_here`. `again` has the ids in `new` by those in `old`.
    """
    ids = pl.DataFrame(
        {"run_id": list(again), "again": list(again.values())},
        schema={"run_id": pl.String, "again": pl.String},
    )
    pairs = old.join(ids, on="run_id", maintain_order="left")
    new_columns = new.rename({name: f"{name}{_HERE}" for name in new.columns if name != "run_id"})
    return pairs.join(
        new_columns, left_on="again", right_on="run_id", maintain_order="left"
    ).with_columns(_answer(""), _answer(_HERE))


def _answer(suffix: str) -> pl.Expr:
    """The answer, with a word before it if it is wrong."""
    wrong = pl.format("refuted {}", f"answer{suffix}")
    is_wrong = pl.col(f"verdict{suffix}") == "refuted"
    return pl.when(is_wrong).then(wrong).otherwise(f"answer{suffix}").alias(f"answer{suffix}")


def differences(pairs: pl.DataFrame, other_solvers: Collection[str] = ()) -> pl.DataFrame:
    """A row for each quantity of a run that differs: what names the run, `quantity`, and the values
    in the `bundle` and `here` as text. Counters of the backends in `other_solvers`
    may differ: these have another version here. `outcome` differs if only one of the two runs ended
    with an answer.
    """
    tables = [_differing(pairs, "outcome", _is_answered("") != _is_answered(_HERE))]
    for names in _GROUPS.values():
        for name in names:
            differs = pl.col(name).ne_missing(pl.col(f"{name}{_HERE}"))
            tables.append(_differing(pairs, name, _is_compared(name, other_solvers) & differs))
    return pl.concat(tables).sort(*PAIR, "family", "n", "instance", "repeat", "quantity")


def _differing(pairs: pl.DataFrame, name: str, which: pl.Expr) -> pl.DataFrame:
    return pairs.filter(which).select(
        *_NAMED,
        pl.lit(name).alias("quantity"),
        bundle=pl.col(name).cast(pl.String),
        here=pl.col(f"{name}{_HERE}").cast(pl.String),
    )


def _is_answered(suffix: str) -> pl.Expr:
    return pl.col(f"outcome{suffix}").is_in(_ANSWERED)


def _is_compared(name: str, other_solvers: Collection[str]) -> pl.Expr:
    """Whether a quantity of both runs can be compared."""
    both_have, either = _values(name)
    answered = _is_answered("") & _is_answered(_HERE)
    if name in SIZES:
        return both_have
    if name in ANSWERS:
        return answered
    return answered & either & ~pl.col("backend").is_in(list(other_solvers))


def _values(name: str) -> tuple[pl.Expr, pl.Expr]:
    """Whether both runs have a value, and whether either has."""
    has_old, has_new = pl.col(name).is_not_null(), pl.col(f"{name}{_HERE}").is_not_null()
    return has_old & has_new, has_old | has_new


def agreement(
    pairs: pl.DataFrame, old: pl.DataFrame, new: pl.DataFrame, other_solvers: Collection[str] = ()
) -> pl.DataFrame:
    """A row for each encoding and backend: its `runs`; of how many the `answers`, `formulas` and
    `counters` agree, and of how many they were compared (`answers_of` and so on); and the `ratio`
    of the solve times on the typical problem, here divided by those in the bundle, with its 95 %
    interval from `low` to `high`, which holds for all rows together. `old` and `new` are the
    records of `pairs`.
    """
    counts = []
    for group, names in _GROUPS.items():
        compared = pl.any_horizontal(_is_compared(name, other_solvers) for name in names)
        differs = pl.any_horizontal(
            _is_compared(name, other_solvers) & pl.col(name).ne_missing(pl.col(f"{name}{_HERE}"))
            for name in names
        )
        counts += [
            (compared & ~differs).sum().alias(group),
            compared.sum().alias(f"{group}_of"),
        ]
    table = pairs.group_by(PAIR).agg(pl.len().alias("runs"), *counts)
    return table.join(_ratios(old, new), on=PAIR, how="left").sort(PAIR)


def _ratios(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    records = told_apart(pl.concat([old, new], how="diagonal"))
    changes = times(records.head(len(old)), records.tail(len(new)))
    machine = changes.common or 1.0
    return changes.table.select(
        *PAIR,
        ratio=pl.col("typical_ratio") * machine,
        low=pl.col("low") * machine,
        high=pl.col("high") * machine,
    )


def problems_needed(rows: int) -> int:
    """Number of solved problems with which each row of an `agreement` with so many has an interval:
    with so many, the statistics of all problems together are rarer than the error.
    """
    return math.floor(math.log2(2 * rows / LEVEL)) + 1
