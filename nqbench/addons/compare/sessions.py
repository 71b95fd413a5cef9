"""In which sessions two campaigns were measured, and what that leaves open.

Between two sessions, each combination may get faster or slower by some percent: memory is laid out
in another way, the machine is in another state. All boards of a session share that, so no test over
boards can tell it from a change. There are three ways out, the best first:

in turns
    Old and new were measured in one session, alternately. What changes with the session, and the
    speed of the machine, are the same for both, so ratios are compared as they were measured.
several old campaigns
    Three or more sessions of the same code show how much sessions differ: see `against_sessions`.
one session each
    Nothing shows it. Differences of up to `OF_A_SESSION` are nothing, and a second session of the
    new code has to say the same.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.intervals import hodges_lehmann
from nqbench.summary.observed import PAIR
from nqbench.summary.paired import LEVEL

Values = NDArray[np.float64]

OF_A_SESSION: Final = 0.03
"""By how much a combination often differs between two sessions of one binary."""

OF_A_LAYOUT: Final = 0.05
"""Below this share, a gate on times finds how a compiler laid out a binary."""

FEWEST_SESSIONS: Final = 3
"""Of the old code: two do not show how much sessions differ."""

_CHANGES_OF_SIDE: Final = 0.25
"""Runs in turns change from one side to the other as often as this share of them or more; two
sessions do it once. If the order is random, half of the runs do.
"""


class Sessions(StrEnum):
    """How old and new were measured."""

    IN_TURNS = "in turns"
    SEVERAL = "several old campaigns"
    ONE_EACH = "one session each"


def were_in_turns(old: pl.DataFrame, new: pl.DataFrame) -> bool:
    """Whether the runs of each combination that both have were measured in turns, on the same
    machines. What was imported has no times of its runs.
    """
    if {*old["machine"]} != {*new["machine"]}:
        return False
    runs = pl.concat(
        records.select(*PAIR, "started_at", side=pl.lit(side))
        for side, records in enumerate((old, new))
    ).filter(pl.col("side").n_unique().over(PAIR) == 2)
    if runs.is_empty() or (runs["started_at"] <= 0).any():
        return False
    moment = pl.col("started_at")
    if runs.filter(pl.col("side").n_unique().over(*PAIR, moment) == 2).height:
        return False  # a run is compared with itself
    changes = (
        runs.sort(moment).group_by(PAIR).agg(share=(pl.col("side").diff() != 0).sum() / pl.len())
    )
    return bool((changes["share"] >= _CHANGES_OF_SIDE).all())


@dataclass(frozen=True, slots=True)
class OfSessions:
    """What several old campaigns say about each combination, as logarithms of ratios: the change,
    its 95 % interval for all combinations together, the lower end of a one-sided one, and the p of
    no change, for all together. `common` is the logarithm of the effect of the machine.
    """

    change: Values
    low: Values
    high: Values
    at_least: Values
    p: Values
    common: float


def against_sessions(log_ratios: Sequence[Values], judges: Sequence[int]) -> OfSessions:
    """Return by how much each combination changed, judged by the spread of the old sessions.

    `log_ratios` has an array for each combination, of shape (sessions, boards): the logarithms of
    the new value divided by that of an old session. The change is the Hodges-Lehmann estimate of
    their means over the sessions, and each old session differs from these means by such an estimate
    as well. Both are divided by the median of the `judges`. With k combinations and m sessions, the
    spread of all combinations together has (k - 1)(m - 1) degrees of freedom, and the change has
    the standard error of one session against the mean of m, to be compared with t at level / k.
    """
    from scipy.stats import t as student

    k, m = len(log_ratios), len(log_ratios[0])
    change = np.array([hodges_lehmann(of_one.mean(axis=0)) for of_one in log_ratios])
    sessions = np.array(
        [[hodges_lehmann(each) for each in of_one.mean(axis=0) - of_one] for of_one in log_ratios]
    )
    common = float(np.median(change[[*judges]]))
    change = change - common
    sessions -= np.median(sessions[[*judges]], axis=0)
    sessions -= sessions.mean(axis=1, keepdims=True)
    degrees = (k - 1) * (m - 1)
    if not degrees:
        nothing = np.full(k, math.inf)
        return OfSessions(change, -nothing, nothing, -nothing, np.ones(k), common)
    error = math.sqrt((sessions**2).sum() / degrees * (1 + 1 / m))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(change == 0, 1.0, 2 * k * student.sf(np.abs(change) / error, degrees))
    of_both, of_one_side = (student.isf(LEVEL / k / sides, degrees) * error for sides in (2, 1))
    return OfSessions(
        change,
        change - of_both,
        change + of_both,
        change - of_one_side,
        np.minimum(p, 1.0),
        common,
    )
