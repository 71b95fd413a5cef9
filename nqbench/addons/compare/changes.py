"""Compares two campaigns: exact differences, and changes of times or counters.

The load of a machine does not affect sizes and hashes of formulas, counters of solvers, and
answers. These are compared exactly. Times are compared as ratios, board by board, and so are
counters on request. What cannot be compared is in `missing`.

The change of each combination is decided as the difference of two combinations is, by `paired`:
whether the typical ratio of the new time to the old one is 1, jointly for all rows. It is about the
boards that both campaigns solved. A lost board is a row of `solved`. The ratio on average is
described with an interval, and is not tested. How much sessions of one code differ is in
`sessions`: several old campaigns show it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.addons.compare.sessions import (
    FEWEST_SESSIONS,
    OfSessions,
    Sessions,
    against_sessions,
    were_in_turns,
)
from nqbench.common import metrics
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import combination
from nqbench.summary.comparisons import (
    OF_MEAN,
    OF_SIDES,
    OF_TYPICAL,
    mean_columns,
    typical_columns,
)
from nqbench.summary.evidence import UNIT, collapsed, with_unit
from nqbench.summary.intervals import MeanRatio, hodges_lehmann, mean_ratio
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
from nqbench.summary.paired import (
    Decisions,
    Pair,
    at_least,
    decide,
    fewest_units,
    typical_ratios,
)

SIZES: Final = ("variables", "clauses", "literals", "constraints", "instance_digest")
_ROUNDING: Final = 1e-12
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
    changed, 1 if they were measured in turns; None for a counter or a measure, which the machine
    does not change, as are `sessions`, in which they were measured. `without_ratio` is
    the number of boards left out because a value is 0 or less. `never` names the combinations that
    no times could show to be slower: see `reachable`. `raised` is the number of runs whose
    count of 0 counts as 1. `unknown` is the number of boards left out, by combination, because a
    run has no value: its solver does not report the counter, or the run was not solved and had no
    limit of it.
    """

    table: pl.DataFrame
    common: float | None
    sessions: Sessions | None = None
    without_ratio: int = 0
    never: tuple[str, ...] = ()
    raised: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)


def times(
    old: pl.DataFrame,
    new: pl.DataFrame,
    time: str = "solve_s",
    reference: Sequence[str] | None = None,
    earlier: Sequence[pl.DataFrame] = (),
) -> Times:
    """Return how much slower each combination became: one row for each, the greatest typical
    ratio first.

    The time of a board is the median of its repeats. If the campaigns share machines, it is the
    mean over them, and its ratio that of the logarithms. A board with several names counts once.
    The typical ratio of a combination, new divided by old, is the Hodges-Lehmann estimate over the
    boards that both campaigns solved, and its mean ratio that of its mean times. Both are divided
    by the effect of the machine: the median of the typical ratios of all combinations, or of those
    named in `reference` ('encoding x backend'). Mean ratios would be a worse judge of it: one slow
    run moves them. If both were measured in turns, the machine has no effect, and without a
    reference ratios are not divided.

    `earlier` are two or more old campaigns before the old one. Then an old time is the geometric
    mean over them, and the spread of the old campaigns decides: see `sessions.against_sessions`.

    `time` is a metric, as `summary.metric` takes it. For a counter or a measure, machines make no
    difference: boards of all machines are compared, ratios are not divided, and a reference or an
    earlier campaign raises `InputError`.

    Columns: encoding, backend, boards; typical_ratio, low and high (its 95 % interval for all rows
    together), at_least (the lower end of a one-sided one, for all rows together), p (of signed
    ranks, for all rows together), faster, slower and equal (boards in which the new one is that);
    mean_ratio, mean_low and mean_high (its 95 % interval, of this row only), rests_on (1 if the
    mean ratio rests on one board) and mean_without (the ratio without it).
    """
    is_time = is_measured_time(time)
    if reference and not is_time:
        raise InputError(
            f"a reference is for times: the machine does not change {metrics.noun(time)}: leave "
            "out the reference"
        )
    if earlier and not is_time:
        raise InputError(
            f"several old campaigns are for times: sessions do not change {metrics.noun(time)}: "
            "give one OLD"
        )
    if earlier and len(earlier) + 1 < FEWEST_SESSIONS:
        raise InputError(
            f"two old campaigns do not show how much sessions differ: give {FEWEST_SESSIONS} or "
            "more, or one"
        )
    time = metric(old, time)
    unknown = {} if is_time else _count_boards_without_values(old, new, time)
    if not is_time:
        old, new = (_boards_with_values(records, time) for records in (old, new))
    sessions = None
    if is_time:
        sessions = Sessions.IN_TURNS if were_in_turns(old, new) else Sessions.ONE_EACH
        sessions = Sessions.SEVERAL if earlier else sessions
    ratios = _over_sessions([_log_ratios(each, new, time) for each in (*earlier, old)])
    pairs = _samples(ratios)
    names = [combination(encoding, backend) for encoding, backend in pairs.select(PAIR).rows()]
    is_divided = is_time and (bool(reference) or sessions is not Sessions.IN_TURNS)
    judges = [i for i, name in enumerate(names) if name in (reference or names)]
    judges = judges if is_divided else []
    if reference and not judges:
        raise NoReferenceError(
            "the reference solved no board in both campaigns: choose another one"
        )
    rows, common = _answers(pairs, judges, sessions)
    schema = {name: OF_RATIO[name] for name in (rows[0] if rows else OF_RATIO)}
    table = pl.concat([pairs.select(PAIR), pl.DataFrame(rows, schema=schema)], how="horizontal")
    able = reachable(table["boards"].to_list(), judges)
    return Times(
        table.select(*PAIR, *OF_RATIO).sort(
            "typical_ratio", *PAIR, descending=[True, False, False], nulls_last=True
        ),
        math.exp(common) if is_time else None,
        sessions,
        with_unit(ratios.filter(~_IS_FINITE)).n_unique([*PAIR, UNIT]),
        tuple(name for name, is_able in zip(names, able, strict=True) if not is_able),
        sum(counts_as_1(records, time) for records in (*earlier, old, new)),
        unknown,
    )


OF_RATIO: Final = {
    "boards": pl.Int64,
    **OF_TYPICAL,
    "at_least": pl.Float64,
    **OF_SIDES,
    **OF_MEAN,
}
"""The columns of `times` after those of the combination."""


def _answers(
    pairs: pl.DataFrame, judges: Sequence[int], sessions: Sessions | None
) -> tuple[list[dict[str, Any]], float]:
    """The rows of `times`, and the logarithm of the effect of the machine."""
    if pairs.is_empty():
        return [], 0.0
    before, after, samples, units = (
        [np.array(values) for values in pairs[name].to_list()]
        for name in ("time_s", "time_s_new", "log_ratio", UNIT)
    )
    estimates = [hodges_lehmann(sample) for sample in samples]
    common = float(np.median([estimates[i] for i in judges])) if judges else 0.0
    every = np.unique(np.concatenate(units))
    changes = [
        Pair(_relative(sample, common), np.searchsorted(every, own))
        for sample, own in zip(samples, units, strict=True)
    ]
    found = decide(changes, len(every))
    columns = (
        _of_boards([estimate - common for estimate in estimates], changes, len(every), found)
        if sessions is not Sessions.SEVERAL
        else _of_sessions(against_sessions(_by_session(pairs), judges))
    )
    rows = [
        {
            "boards": len(sample),
            **columns[i],
            "faster": found.faster[i],
            "slower": found.slower[i],
            "equal": found.equal[i],
            **mean_columns(_mean_change(after[i] / math.exp(common), before[i])),
        }
        for i, sample in enumerate(samples)
    ]
    return rows, common


def _of_boards(
    estimates: Sequence[float], changes: Sequence[Pair], units: int, found: Decisions
) -> list[dict[str, Any]]:
    """The columns of typical ratios, decided by signed ranks over the boards."""
    _, lows, highs = typical_ratios(changes, units, found.critical)
    return [
        {
            **typical_columns(math.exp(estimate), low, high),
            "at_least": end or None,
            "p": p,
        }
        for estimate, low, high, end, p in zip(
            estimates, lows, highs, at_least(changes, units), found.p, strict=True
        )
    ]


def _of_sessions(found: OfSessions) -> list[dict[str, Any]]:
    """The columns of typical ratios, decided by the spread of several old campaigns."""
    ratio, low, high, end = map(np.exp, (found.change, found.low, found.high, found.at_least))
    return [
        {**typical_columns(ratio[i], low[i], high[i]), "at_least": end[i] or None, "p": p}
        for i, p in enumerate(found.p)
    ]


def _by_session(pairs: pl.DataFrame) -> list[Values]:
    """The logarithms of the ratios of each combination, of shape (sessions, boards)."""
    names = [name for name in pairs.columns if name.startswith(_OF_SESSION)]
    return [np.array(row) for row in pairs.select(names).rows()]


def _relative(log_ratios: Values, common: float) -> Values:
    """Logarithms of ratios to that of the machine, without the rounding of equal ones."""
    relative = log_ratios - common
    return np.where(np.abs(relative) < _ROUNDING, 0.0, relative)


def _mean_change(new: Values, old: Values) -> MeanRatio:
    """The ratio of these means; NaN for measures without one."""
    if (old == new).all():
        return MeanRatio(1.0, 1.0, 1.0)
    if min(old.min(), new.min()) < 0:
        least = min(old.mean(), new.mean())
        return MeanRatio(new.mean() / old.mean() if least > 0 else math.nan)
    return mean_ratio(new, old)


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


_OF_SESSION: Final = "log_ratio_"
"""The columns with the ratios of each of several old campaigns."""


def _over_sessions(tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The ratios of boards to the geometric mean of several old campaigns, with a column for the
    ratio to each; those to one as they are.
    """
    last, *others = tables[::-1]
    if not others:
        return last
    keys = [name for name in (*PAIR, *THERE) if name in last.columns]
    joined = last.with_columns(pl.col("log_ratio").alias(f"{_OF_SESSION}0"))
    for number, each in enumerate(others, 1):
        own = each.select(*keys, pl.col("log_ratio").alias(f"{_OF_SESSION}{number}"))
        joined = joined.join(own, on=keys, nulls_equal=True, maintain_order="left")
    mean = pl.mean_horizontal(pl.col(f"^{_OF_SESSION}.*$"))
    return joined.with_columns(log_ratio=mean, time_s=pl.col("time_s_new") / mean.exp())


def _samples(ratios: pl.DataFrame) -> pl.DataFrame:
    """For each combination, the lists of its units with finite ratios, and of their times and the
    logarithms of their ratios.
    """
    finite = ratios.filter(_IS_FINITE)
    of_sessions = [name for name in finite.columns if name.startswith(_OF_SESSION)]
    units = collapsed(finite, PAIR, ["time_s", "time_s_new", "log_ratio", *of_sessions])
    return units.group_by(PAIR, maintain_order=True).agg(pl.exclude(PAIR))


def slower(table: pl.DataFrame, above: float) -> pl.DataFrame:
    """The rows of `times` that typically became slower by more than the share `above` (0.1 is
    10 %): all of the one-sided interval for all combinations together is above that.
    """
    return table.filter(pl.col("at_least") > 1 + above)


def reachable(boards: Sequence[int], judges: Sequence[int]) -> list[bool]:
    """For each combination, with this number of boards, whether any times could decide that it
    became slower. `judges` are the positions of the combinations by which the machine is judged;
    empty for values that are not divided. The ratio of the only judge is 1.
    """
    fewest = fewest_units(len(boards))
    return [count >= fewest and [*judges] != [i] for i, count in enumerate(boards)]


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
