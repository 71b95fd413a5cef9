"""Compares two campaigns: exact differences, and significant changes of times or counters.

The load of a machine does not affect sizes and hashes of formulas, counters of solvers, and
answers. These are compared exactly. Times are compared as ratios, board by board, and so are
counters on request. What cannot be compared is in `summary.missing`.

Times are asked two questions, with the functions that compare two combinations: `exchanges` about
the average, `signed_ranks` about the typical board. Both are about the boards that both campaigns
solved. An unsolved board costs twice its limit, which a slower machine does not change, so it is
not in a mean: a lost board is a row of `solved`.

Either answer can trip a gate, so p is corrected for all rows and both questions at once, by Holm.
The joint test of `exchanges` would find less: a combination whose largest board takes most of its
time has a small statistic, however clear its change is, and is lost among the maxima of others.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import combination
from nqbench.summary.evidence import UNIT, collapsed, with_unit
from nqbench.summary.exchanges import SIGNIFICANT, Block, exchange
from nqbench.summary.intervals import hodges_lehmann
from nqbench.summary.observed import (
    BOARD,
    PAIR,
    POSSIBLE,
    PROBLEM,
    SOLVED,
    THERE,
    TITLE,
    boards,
    counts_as_1,
    has_value,
    is_measured_time,
    metric,
)
from nqbench.summary.signed_ranks import holm, typically

SIZES: Final = ("variables", "clauses", "literals", "constraints", "instance_digest")
_IS_FINITE: Final = pl.col("log_ratio").is_finite()
ANSWERS: Final = ("answer", "solutions", "best_k")
COUNTERS: Final = (*ANSWERS, *metrics.COUNTERS)


Values = NDArray[np.float64]


class NoReferenceError(InputError):
    """The combinations by which the machine is judged solved no board in both campaigns."""


RUN: Final = [*PAIR, *BOARD, "shuffle", "seed", "solver_seed", "repeat"]
"""Identifies a run: counters and answers are compared in the same runs."""

_INSTANCE: Final = [*PROBLEM, "encoding", "shuffle", "repeat"]


def changes(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return every difference that no machine can explain, in runs that both campaigns finished
    or stopped at a limit of work; and every lost answer: the old campaign solved a run that the
    new one stopped at its limit of time or memory.

    One row for each group of differences: quantity, encoding, backend (null for a quantity of the
    formula), runs, example (the first problem), old, new (its values as text: null for a counter
    that only the other campaign has, the outcome for a lost answer). A refuted answer differs from
    one that was not refuted. Another version of a solver may legitimately differ.
    """
    tables = [_lost(old, new)]
    for keys, quantities in ((_INSTANCE, SIZES), (RUN, COUNTERS)):
        runs = finished(old, keys).join(
            finished(new, keys), on=keys, suffix="_new", nulls_equal=True
        )
        if keys is _INSTANCE:
            runs = runs.with_columns(backend=pl.lit(None, pl.String))
        tables += [_differences(runs, quantity) for quantity in quantities]
    # One row for each pair of answers, and one for counters that are no longer there.
    values = [pl.col("old"), pl.col("new")]
    kind = pl.when(quantity="answer").then(pl.concat_str(values, separator=" "))
    gone = pl.concat_str([value.is_null().cast(pl.String) for value in values])
    return (
        pl.concat(tables)
        .with_columns(kind=kind.otherwise(gone))
        .sort("n", "title", maintain_order=True)
        .group_by("quantity", "encoding", "backend", "kind", maintain_order=True)
        .agg(
            runs=pl.len(),
            example=pl.col("title").first(),
            old=pl.col("old").first(),
            new=pl.col("new").first(),
        )
        .sort("quantity", "encoding", "backend", maintain_order=True)
        .drop("kind")
    )


def runs_in_common(old: pl.DataFrame, new: pl.DataFrame) -> int:
    """Number of runs that `changes` compares: with the same seeds, both finished, or stopped at a
    limit of work.
    """
    ours, theirs = finished(old, RUN), finished(new, RUN)
    return len(ours.join(theirs, on=RUN, how="semi", nulls_equal=True))


def _differences(runs: pl.DataFrame, quantity: str) -> pl.DataFrame:
    """The runs for which the two campaigns recorded different values."""
    before, after = pl.col(quantity), pl.col(f"{quantity}_new")
    # Earlier versions recorded fewer sizes, but a counter that is gone was not compared.
    is_recorded = before.is_not_null() & after.is_not_null() if quantity in SIZES else True
    return runs.filter(is_recorded & before.ne_missing(after)).select(
        pl.lit(quantity).alias("quantity"),
        "encoding",
        "backend",
        TITLE,
        n="n",
        old=before.cast(pl.String),
        new=after.cast(pl.String),
    )


def _lost(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """The runs that the old campaign solved and the new one stopped at a limit of time or memory,
    as `_differences` returns them.
    """
    stopped = (
        new.filter(pl.col("outcome").is_in(["timeout", "memout"]))
        .join(finished(new, RUN), on=RUN, how="anti", nulls_equal=True)
        .unique(RUN, keep="first", maintain_order=True)
        .with_columns(answer=pl.col("outcome"))
    )
    solved_before = finished(old.filter(SOLVED), RUN)
    runs = solved_before.join(stopped, on=RUN, suffix="_new", nulls_equal=True)
    return _differences(runs, "answer")


def solved(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Boards that both campaigns tried and only one solved: encoding, backend, family, instance, n,
    task, change (`solved` or `unsolved`).
    """
    keys = [*PAIR, *BOARD]
    was_tried = ~pl.col("outcome").is_in(["skipped", "capped"])
    common_boards = boards(old.filter(was_tried)).join(
        boards(new.filter(was_tried)), on=keys, suffix="_new", nulls_equal=True
    )
    change = pl.when("solved_new").then(pl.lit("solved")).otherwise(pl.lit("unsolved"))
    differ = common_boards.filter(pl.col("solved") != pl.col("solved_new")).with_columns(
        change=change
    )
    return (
        with_unit(differ)
        .sort(keys)
        .unique([*PAIR, UNIT, "change"], keep="first", maintain_order=True)
        .select(*keys, "change")
    )


@dataclass(frozen=True, slots=True)
class Times:
    """`table` as `times` returns it. `common` is the factor by which all combinations together
    changed; None for a counter or a measure, which the machine does not change. `without_ratio` is
    the number of boards left out because a value is 0 or less. `never` names the combinations that
    no times could make significantly slower: see `reachable`. `raised` is the number of runs whose
    count of 0 counts as 1. `unknown` is the number of boards left out, by combination, because a
    run has no value: its solver does not report the counter, or the run was not solved and had no
    limit of it.
    """

    table: pl.DataFrame
    common: float | None
    without_ratio: int = 0
    never: tuple[str, ...] = ()
    raised: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)


def times(
    old: pl.DataFrame,
    new: pl.DataFrame,
    time: str = "solve_s",
    reference: Sequence[str] | None = None,
) -> Times:
    """Return how much slower each combination became: one row for each, the greatest mean ratio
    first.

    The time of a board is the median of its repeats. If the campaigns share machines, it is the
    mean over them, and its ratio that of the logarithms. A board with several names counts once.
    On average, the ratio of a combination is that of its mean times on the boards that both
    campaigns solved, new divided by old. On the typical board, it is the Hodges-Lehmann estimate
    (the median of the mean logarithms of all pairs of boards; J. Hodges, E. Lehmann, Annals of
    Mathematical Statistics 34, 1963). Both are divided by the effect of the machine: the median of
    the typical ratios of all combinations, or of those named in `reference` ('encoding x backend').
    Mean ratios would be a worse judge of it: one slow run moves them.

    `time` is a metric, as `summary.metric` takes it. For a counter or a measure, machines make no
    difference: boards of all machines are compared, ratios are not divided, and a reference raises
    `InputError`.

    Columns: encoding, backend, boards; mean_ratio and p (of exchanges of the times); faster and
    slower (boards in which the new one is that), typical_ratio, low and high (its 95 % interval for
    all rows together) and typical_p (two-sided Wilcoxon signed rank test). Both p are corrected by
    Holm, for all rows and both questions together.
    """
    is_time = is_measured_time(time)
    if reference and not is_time:
        raise InputError(
            f"a reference is for times: the machine does not change {metrics.noun(time)}: leave "
            "out the reference"
        )
    time = metric(old, time)
    unknown = {} if is_time else _count_boards_without_values(old, new, time)
    if not is_time:
        old, new = (_boards_with_values(records, time) for records in (old, new))
    ratios = _log_ratios(old, new, time)
    pairs = _samples(ratios)
    names = [combination(encoding, backend) for encoding, backend in pairs.select(PAIR).rows()]
    judges = [i for i, name in enumerate(names) if name in (reference or names)] if is_time else []
    if reference and not judges:
        raise NoReferenceError(
            "the reference solved no board in both campaigns: choose another one"
        )
    rows, common = _answers(pairs, judges)
    schema = {name: OF_RATIO[name] for name in (rows[0] if rows else OF_RATIO)}
    table = pl.concat([pairs.select(PAIR), pl.DataFrame(rows, schema=schema)], how="horizontal")
    able = reachable(table["boards"].to_list(), judges)
    return Times(
        table.select(*PAIR, *OF_RATIO).sort(
            "mean_ratio", *PAIR, descending=[True, False, False], nulls_last=True
        ),
        math.exp(common) if is_time else None,
        with_unit(ratios.filter(~_IS_FINITE)).n_unique([*PAIR, UNIT]),
        tuple(name for name, is_able in zip(names, able, strict=True) if not is_able),
        sum(counts_as_1(records, time) for records in (old, new)),
        unknown,
    )


OF_RATIO: Final = {
    "boards": pl.Int64,
    "mean_ratio": pl.Float64,
    "p": pl.Float64,
    "faster": pl.Int64,
    "slower": pl.Int64,
    "typical_ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "typical_p": pl.Float64,
}
"""The columns of `times` after those of the combination."""


def _answers(pairs: pl.DataFrame, judges: Sequence[int]) -> tuple[list[dict[str, Any]], float]:
    """The rows of `times`, and the logarithm of the effect of the machine."""
    if pairs.is_empty():
        return [], 0.0
    before, after, samples = (
        [np.array(values) for values in pairs[name].to_list()]
        for name in ("time_s", "time_s_new", "log_ratio")
    )
    means = [_log_mean_ratio(old, new) for old, new in zip(before, after, strict=True)]
    estimates = [hodges_lehmann(sample) for sample in samples]
    common = float(np.median([estimates[i] for i in judges])) if judges else 0.0
    blocks = [
        Block(np.column_stack([new / math.exp(common), old]), units, np.array([[0, 1]]))
        for old, new, units in zip(before, after, pairs[UNIT].to_numpy(), strict=True)
    ]
    typical = [typically(each - common, SIGNIFICANT / len(samples)) for each in samples]
    p = holm([*exchange(blocks).p, *(one.p for one in typical)])
    rows = [
        {
            "boards": len(sample),
            "mean_ratio": None if mean is None else math.exp(mean - common),
            "p": p[i],
            "faster": one.faster,
            "slower": one.slower,
            "typical_ratio": math.exp(estimate - common),
            "low": one.low,
            "high": one.high,
            "typical_p": p[len(samples) + i],
        }
        for i, (sample, mean, estimate, one) in enumerate(
            zip(samples, means, estimates, typical, strict=True)
        )
    ]
    return rows, common


def _log_mean_ratio(old: Values, new: Values) -> float | None:
    """The logarithm of the ratio of these means; None for measures without one."""
    if (old == new).all():
        return 0.0
    least = min(old.mean(), new.mean())
    return float(np.log(new.mean() / old.mean())) if least > 0 else None


def _boards_with_values(records: pl.DataFrame, counter: str) -> pl.DataFrame:
    """The runs of boards, of each combination, of which every run has a value of a counter or a
    measure. A median over the others would be that of another set of runs.
    """
    keys = [*PAIR, *BOARD]
    without = records.filter(POSSIBLE & ~has_value(counter))
    return records.join(without, on=keys, how="anti", nulls_equal=True, maintain_order="left")


def _count_boards_without_values(
    old: pl.DataFrame, new: pl.DataFrame, counter: str
) -> dict[str, int]:
    """The number of boards that both campaigns solved, without a value of the counter in one
    of them, by combination.
    """
    keys = [*PAIR, *BOARD]
    solved_by_both, known_by_both = (
        boards(earlier)
        .filter("solved")
        .select(keys)
        .join(boards(later).filter("solved"), on=keys, how="semi", nulls_equal=True)
        for earlier, later in (
            (old, new),
            (_boards_with_values(old, counter), _boards_with_values(new, counter)),
        )
    )
    without = solved_by_both.join(known_by_both, on=keys, how="anti", nulls_equal=True)
    counts = without.group_by(PAIR).len().sort(PAIR)
    return {combination(encoding, backend): count for encoding, backend, count in counts.rows()}


def _log_ratios(old: pl.DataFrame, new: pl.DataFrame, time: str) -> pl.DataFrame:
    """The logarithm of the ratio of each board that both campaigns solved, on each machine that
    they share; not finite if a value has no logarithm.
    """
    # Compare times on the same machine if both campaigns used one.
    shared = is_measured_time(time) and set(old["machine"]) & set(new["machine"])
    board = THERE if shared else BOARD
    keys = [*PAIR, *board]
    before, after = pl.col("time_s"), pl.col("time_s_new")
    # Equal values are a ratio of 1 even if both are 0.
    log_ratio = pl.when(before == after).then(0.0).otherwise((after / before).log())
    return (
        boards(old, time, board)
        .join(boards(new, time, board), on=keys, suffix="_new", nulls_equal=True)
        .filter(pl.col("solved") & pl.col("solved_new"))
        .with_columns(log_ratio=log_ratio)
        .sort(keys)
    )


def _samples(ratios: pl.DataFrame) -> pl.DataFrame:
    """For each combination, the lists of its units with finite ratios, and of their times and the
    logarithms of their ratios.
    """
    finite = ratios.filter(_IS_FINITE)
    units = collapsed(finite, PAIR, ["time_s", "time_s_new", "log_ratio"])
    return units.group_by(PAIR, maintain_order=True).agg(pl.exclude(PAIR))


def slower(table: pl.DataFrame, above: float) -> pl.DataFrame:
    """The rows of `times` that became significantly slower by more than the share `above` (0.1 is
    10 %), on average or on the typical board: the estimate is larger than that, and the change is
    significant at 5 % for all combinations and both questions together.
    """
    return table.filter(
        pl.any_horizontal(
            (pl.col(ratio) > 1 + above) & (pl.col(p) < SIGNIFICANT)
            for ratio, p in (("mean_ratio", "p"), ("typical_ratio", "typical_p"))
        )
    )


QUESTIONS: Final = 2
"""On average, and on the typical board."""


def boards_needed(tests: int) -> int:
    """Number of common boards with which one of so many tests can be significant, however few
    boards the others have. If all have fewer, p stays above 5 %, whatever the times.
    """
    return math.floor(math.log2(2 * tests / SIGNIFICANT)) + 1


def reachable(boards: Sequence[int], judges: Sequence[int]) -> list[bool]:
    """For each combination, with this number of boards, whether any times could make it
    significantly slower. `judges` are the positions of the combinations by which the machine is
    judged; empty for values that are not divided.

    If all boards of a combination agree, p is 2^(1 - boards), the least there is, for each of both
    questions. Holm's correction multiplies the smallest p by the number of tests, and the next by
    one less: a combination with few boards can pass after others with more boards have passed. An
    odd number of judges has one in the middle, whose own ratio is 1: in the best case the one with
    the fewest boards.
    """
    least = [2.0 ** (1 - count) for count in boards]
    able = []
    for i in range(len(boards)):
        best_case = list(least)
        other_judges = [j for j in judges if j != i]
        if len(judges) % 2:
            middle = max(other_judges, key=lambda j: least[j]) if other_judges else i
            best_case[middle] = 1.0
        able.append(holm(best_case * QUESTIONS)[i] < SIGNIFICANT)
    return able


def finished(records: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The first run with each of these keys that finished or stopped at a limit of work. A refuted
    answer begins with that word.
    """
    # A limit of work is reached at the same point on every machine; a time limit is not.
    repeatable = records.filter(pl.col("outcome").is_in(["finished", "work-limit"])).with_columns(
        answer=pl.when(pl.col("verdict") == "refuted")
        .then(pl.format("refuted {}", "answer"))
        .otherwise("answer")
    )
    return repeatable.unique(keys, keep="first", maintain_order=True)
