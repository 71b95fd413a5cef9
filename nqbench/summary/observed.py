"""Defines which runs count as solved, and what a run costs.

Unsolved runs are in every figure: they count as the limit in a median, as twice the limit in
PAR-2, and as not solved in a count. So do runs that were skipped after smaller n reached a limit.
Otherwise a combination that gives up early would be compared only where it is good. A run whose
solver was unavailable has no time.
"""

import re
from collections.abc import Sequence
from typing import Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.errors import REFUSALS, InputError
from nqbench.common.machine.builds import JUDGED
from nqbench.common.metrics import PAR
from nqbench.common.printable import listed
from nqbench.common.units import counted, is_time
from nqbench.common.vocabulary import AS_IT_IS, COMBINATION, as_combination, combination
from nqbench.records.derived import TOTAL, TOTAL_TIME
from nqbench.records.measures import is_name
from nqbench.records.origin import Elsewhere

SOLVED = (
    (pl.col("outcome") == "finished")
    & pl.col("answer").is_in(["sat", "unsat", "unstated"])
    & (pl.col("verdict") != "refuted")
).alias("solved")
"""Whether a run gave an answer that was not refuted. An unchecked answer counts."""

MEASURED_HERE = pl.col("imported_from").is_null()
"""Whether nqbench measured a run here; otherwise it was imported."""

UNCHECKED = SOLVED & (pl.col("verdict") == "unchecked") & MEASURED_HERE
"""Whether a run that was measured here gave an answer that was not checked."""

REFUSED_BY_ENCODING, REFUSED_BY_BACKEND = (
    # A table that was made by hand may lack the column.
    pl.any_horizontal(pl.col("^message$").str.starts_with(start))
    for start in REFUSALS
)
"""Whether the message of an invalid run is about its encoding, which would have too many clauses,
or about its backend, and not about the file. Such a run is unsolved, since others can be solved.
"""

VALID = (pl.col("outcome") != "invalid") | REFUSED_BY_ENCODING | REFUSED_BY_BACKEND
"""Whether the file of a run was valid."""

POSSIBLE = ~pl.col("outcome").is_in(["unavailable", "capped"]) & VALID
"""Whether a run was possible: its solver was available, and its file was valid."""

NOT_CAPPED = pl.col("outcome") != "capped"
"""Whether a run was not stopped by a race: such a run is neither solved nor unsolved."""

PAIR = ["encoding", "backend"]
NAMED = (
    pl.when(pl.col("encoding") == AS_IT_IS)
    .then(pl.col("backend"))
    .otherwise(pl.format(COMBINATION, *PAIR))
    .alias("pair")
)
"""The name of the combination of a run, as `combination` writes it."""

PROBLEM = ["family", "instance", "n"]
BOARD = [*PROBLEM, "task"]
"""Identifies a board: combinations are compared on the same boards."""

TITLE = (
    pl.when(pl.col("n").is_null())
    .then("instance")
    .when(pl.col("instance") == "")
    .then(pl.format("{} n={}", "family", "n"))
    .otherwise(pl.format("{} {} n={}", "family", "instance", "n"))
    .alias("title")
)
"""The name of a problem, as `problems.base.title` gives it."""

THERE = [*BOARD, "machine"]
"""Identifies a board on a machine: times are compared on the same machine."""

GROUP: Final = "evidence_group"
"""The column of the group that a problem belongs to, if groups are the units of evidence: see
`evidence.in_groups`.
"""

HAS_TOTAL: Final = (~SOLVED | TOTAL_TIME.is_not_null()).all() & (SOLVED | MEASURED_HERE).any()
"""Whether the total times of these runs are known: each solved one has its own. Where nothing was
solved, all are limits, but of imported runs nobody knows whether that was a limit of the total.
"""


def par_column(par: int) -> str:
    """The column with PAR-k for this k.

    >>> par_column(10)
    'par10_s'
    """
    return f"par{par}_s"


def par_of(table: pl.DataFrame) -> int:
    """The k of the PAR-k of a table with such a column."""
    return next(int(match[1]) for name in table.columns if (match := _PAR_COLUMN.fullmatch(name)))


_PAR_COLUMN: Final = re.compile(r"par(\d+)_s")


def sgm_column(shift: float) -> str:
    """The column with the geometric mean with this shift.

    >>> sgm_column(10), sgm_column(0.5)
    ('sgm10_s', 'sgm0.5_s')
    """
    return f"sgm{shift:g}_s"


def sgm_of(table: pl.DataFrame) -> float | None:
    """The shift of the geometric mean of a table; None if it has no such column."""
    return next(
        (float(match[1]) for name in table.columns if (match := _SGM_COLUMN.fullmatch(name))), None
    )


_SGM_COLUMN: Final = re.compile(r"sgm(.+)_s")

MANY: Final = 10
"""With so many runs, a spread is that of the middle half, and a distribution can be drawn."""

FIRST_CALLS_S: Final = 1e-3
"""Shorter phases are not compared: a part of them is that of first calls in a new process, up to
0.5 ms of encoding and 0.15 ms of loading or solving (see `docs/explanation/timing.md`).
"""


def spread(runs: pl.DataFrame, keys: Sequence[str], *also: pl.Expr) -> pl.DataFrame:
    """The median and the spread of each group of `observed` runs: one row for each, by the keys.

    Columns: those of `keys`, those of `also`, median_s, low_s and high_s (fastest and slowest, or
    the quartiles; which of them, `is_middle_half` says for all groups at once, so that a figure
    shows only one kind of band), runs, boards (how many different ones), unsolved, time_limit_s.
    """
    time = pl.col("time_s")
    group_sizes = runs.group_by(keys).len()["len"]
    ends = (
        (time.quantile(0.25, "linear"), time.quantile(0.75, "linear"))
        if is_middle_half(group_sizes)
        else (time.min(), time.max())
    )
    return (
        runs.group_by(keys)
        .agg(
            *also,
            median_s=time.median(),
            low_s=ends[0],
            high_s=ends[1],
            runs=pl.len(),
            boards=pl.struct(BOARD).n_unique(),
            unsolved=(~pl.col("solved")).sum(),
            time_limit_s=pl.col("time_limit_s").max(),
        )
        .sort(keys)
    )


def is_middle_half(runs: pl.Series) -> bool:
    """Whether a `spread` over groups of so many runs is from quartile to quartile: most groups have
    at least `MANY`.
    """
    return 2 * int((runs >= MANY).sum()) > len(runs)


def penalised(par: int = PAR) -> pl.Expr:
    """The cost of an `observed` run in PAR-k with this k; PAR-k is the mean of these costs."""
    return (
        pl.when("solved")
        .then("time_s")
        .when(pl.col("time_s").is_not_null())
        .then(par * pl.col("time_limit_s"))
    )


def metric(records: pl.DataFrame, name: str) -> str:
    """The metric of these records with this name, whatever its case: one of `metrics.METRICS`, or a
    measure that the records have. The name of any other time of a run is a metric too.

    Raises `InputError` with the nearest names for any other name, for a time that solved runs do
    not have, as imported ones may not, and for values that are not numbers in a table that was made
    by hand.
    """
    matched = _match_metric(records, name)
    _check_finite(records, matched)
    if is_time(matched):
        _check_values(records, matched)
    return matched


def _check_finite(records: pl.DataFrame, metric: str) -> None:
    """Raise `InputError` if a time, or the value of this metric, is NaN or infinite."""
    names = [
        name
        for name, kind in records.schema.items()
        if kind.is_float() and (is_time(name) or name == metric)
    ]
    is_wrong = records.select(pl.col(names).is_finite().not_().any())
    if wrong := [name for name in names if is_wrong[name][0]]:
        raise InputError(
            f"{wrong[0]} of a run is not a finite number: it has to be None, and not NaN, if it "
            "was not measured"
        )


def _match_metric(records: pl.DataFrame, name: str) -> str:
    if name in records.columns and is_time(name) and not name.endswith("_limit_s"):
        return name
    measures = [c for c, kind in records.schema.items() if kind.is_numeric() and is_name(c)]
    return metrics.match_metric(name, measures)


def find_combination(text: str, *records: pl.DataFrame) -> str:
    """The combination of these records that is meant: by its name, or by its encoding or backend if
    only one has it. Raises `InputError` if none is, or several are.
    """
    pairs = {pair for table in records for pair in table.select(PAIR).unique().rows()}
    names = sorted(combination(*pair) for pair in pairs)
    if (name := as_combination(text)) in names:
        return name
    meant = sorted(combination(*pair) for pair in pairs if name in pair)
    if not meant:
        where = " in either campaign" if len(records) > 1 else ""
        raise InputError(f"no runs of '{text}'{where}: choose from {listed(names, 10)}")
    if len(meant) > 1:
        raise InputError(f"'{text}' is in several combinations: choose from {listed(meant, 10)}")
    return meant[0]


def is_measured_time(metric: str) -> bool:
    """Whether the speed of the machine changes a metric: nqbench measured it, as a time. A counter
    or a measure is what the solver says.
    """
    return is_time(metric) and not is_name(metric)


def observed(records: pl.DataFrame, time: str = "solve_s") -> pl.DataFrame:
    """Add `solved` and `time_s`: the time of a solved run, the limit of any other run, null if the
    solver was unavailable; `time_limit_s` is that limit.

    `time` is the column to compare, as `metric` takes it. For a counter or a measure, the columns
    that are named after times and seconds hold its values. A count of 0 counts as 1, since it has
    no logarithm. Raises `InputError` for an unknown metric, and for a run without such a count. A
    time that a solved run does not have is null.
    """
    time = _match_metric(records, time)
    if not is_time(time):
        records = _with_counts(records, time)
    limit = pl.col("time_limit_s")
    return records.with_columns(SOLVED, TOTAL_TIME.alias(TOTAL)).with_columns(
        time_s=pl.when("solved")
        .then(pl.col(time))
        .when(~pl.col("outcome").is_in(["unavailable", "capped"]))
        .then(limit)
    )


def has_value(metric: str) -> pl.Expr:
    """Whether a run has a value of a metric: its own if it was solved, and otherwise its limit."""
    limit = "time_limit_s" if is_time(metric) else metrics.limit_of(metric)
    has_limit = pl.col(limit).is_not_null() if limit else pl.lit(value=False)
    own = TOTAL_TIME if metric == TOTAL else pl.col(metric)
    return pl.when(SOLVED).then(own.is_not_null()).otherwise(has_limit)


def counts_as_1(records: pl.DataFrame, metric: str) -> int:
    """Number of solved runs with a count of 0, which `observed` counts as 1; 0 for a time."""
    if is_time(metric) or not records.schema[metric].is_integer():
        return 0
    return len(records.filter(SOLVED & (pl.col(metric) < 1)))


def _with_counts(records: pl.DataFrame, counter: str) -> pl.DataFrame:
    """The records with counts of at least 1, and with their limit as `time_limit_s`."""
    limit_of = metrics.limit_of(counter)
    limit = pl.col(limit_of) if limit_of else pl.lit(None)
    least = 1 if records.schema[counter].is_integer() else None
    _check_values(records, counter)
    return records.with_columns(
        pl.col(counter).clip(least), time_limit_s=limit.cast(pl.Float64, strict=False)
    )


def _check_values(records: pl.DataFrame, metric: str) -> None:
    """Raise `InputError` if a run has no value of this metric, with what to do. Of a time that is
    none of `metrics.TIMES`, some runs need not have one: nothing is decoded for `unsat`.
    """
    missing = records.filter(POSSIBLE & ~has_value(metric))
    if missing.is_empty():
        return
    noun = metrics.noun(metric)
    if not records.select((SOLVED & has_value(metric)).any()).item():
        if is_time(metric) and not records.select(SOLVED.any()).item():
            return  # every run counts as its limit
        raise InputError(f"no solved run reports {noun}: {metrics.remedy(metric)}")
    if is_time(metric) and metric not in metrics.TIMES:
        return
    # A combination that does not report it, before one that was stopped too early to do so.
    row = missing.sort(SOLVED, descending=True, maintain_order=True).row(0, named=True)
    whose = combination(row["encoding"], row["backend"])
    without = f'leave it out with `where="backend <> {_quoted(row["backend"])}"`'
    if missing.select(SOLVED.any()).item():
        silent = missing.filter(SOLVED).unique(PAIR, keep="first", maintain_order=True)
        if len(silent) > 1:
            names = [combination(*pair) for pair in silent.select(PAIR).rows()]
            backends = ", ".join(map(_quoted, silent["backend"].unique(maintain_order=True)))
            raise InputError(
                f"{listed(names, 10)} do not report {noun}: leave them out with "
                f'`where="backend NOT IN ({backends})"`'
            )
        how = ""
        if row["backend"].startswith(("exe:", "git:")) and metric in metrics.COUNTERS:
            how = (
                "nqbench reads the counters of a program by its file name, such as minisat or "
                "cadical; measure others with `measure=NAME=REGEX` and `metric=NAME`, or "
            )
        raise InputError(f"{whose} does not report {noun}: {how}{without}")
    if row["outcome"] == "crashed":
        raise InputError(f"{whose} has crashed runs, without {noun}: repair it, or {without}")
    if row["verdict"] == "refuted":
        raise InputError(
            f"{whose} has runs with a wrong answer, which do not count: repair it, or {without}"
        )
    measure = f"measure with a limit of {noun}, or " if metrics.limit_of(metric) else ""
    raise InputError(
        f"{whose} has unsolved runs without a limit of {noun}: {measure}choose solved runs with "
        "`where=\"outcome = 'finished'\"`"
    )


def _quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def by_family(records: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The records of each family, in the order of their names: problems of different families have
    nothing in common that a mean over them could describe.
    """
    tables = records.sort("family", maintain_order=True).partition_by("family", as_dict=True)
    return {str(family): part for (family,), part in tables.items()}


def boards(
    records: pl.DataFrame,
    time: str = "solve_s",
    keys: Sequence[str] = BOARD,
    par: int = PAR,
    *,
    has_repeats: bool = True,
) -> pl.DataFrame:
    """Return the cost of each board: one row for each encoding x backend x board, in that order.
    With the keys `THERE`, there is one row for each of these on each machine.

    Columns: encoding, backend, those of `keys` (family, instance, n, task), time_s (the median of
    its repeats, unsolved ones at the limit), par2_s (their mean, unsolved ones at twice the limit;
    with another k as `par`, its name and factor are those of PAR-k), solved (whether more than half
    of them are), time_limit_s. Runs whose solver was unavailable or whose file was invalid are left
    out. The digest of the problem and its group are in it, too, if the records have them. If each
    board was measured once, it takes less time to say so.
    """
    of = [*PAIR, *keys]
    beside = {"problem_digest", GROUP, "unit"}.difference(keys)  # `evidence.UNIT`
    digest = [pl.col(name) for name in sorted(beside) if name in records.columns]
    runs = observed(records, time).filter(POSSIBLE)
    place, cost = _number(runs, of).alias("place"), penalised(par).alias(par_column(par))
    if has_repeats:
        if any(records[column.meta.output_name()].has_nulls() for column in digest):
            digest = [column.drop_nulls() for column in digest]  # which takes longer
        table = runs.group_by(place).agg(
            pl.col(of).first(),
            pl.col("time_s").median(),
            cost.mean(),
            *(column.first() for column in digest),
            pl.col("solved").mean() > 0.5,
            pl.col("time_limit_s").max(),
        )
    else:
        table = runs.select(place, *of, "time_s", cost, *digest, "solved", "time_limit_s")
    return (
        table.sort("place")
        .drop("place")
        # Polars then adds the costs of a combination in this order. Otherwise its threads decide
        # about the last digit of a mean, and with it about the best of equals.
        .with_columns(pl.col(of[0]).set_sorted())
    )


def on_common(records: pl.DataFrame) -> pl.DataFrame:
    """The runs on the problems, on each machine under one time limit, that all combinations were
    measured on: all repeats, of which one may have more than another.

    Only these can be compared: a mean over other problems, on another machine or up to another
    limit, is of something else. Runs whose solver was unavailable or whose file was invalid are
    left out.
    """
    possible_runs = fulfilling(records, POSSIBLE)
    numbers = possible_runs.select(
        _number(possible_runs, PAIR).alias("pair"),
        _number(possible_runs, [*THERE, "time_limit_s"]).alias("alike"),
    )
    measured = numbers.unique()
    is_by_all = pl.col("pairs") == measured["pair"].n_unique()
    by_all = measured.group_by("alike").len("pairs").filter(is_by_all)
    return fulfilling(possible_runs, numbers["alike"].is_in(by_all["alike"].implode()))


def fulfilling(records: pl.DataFrame, condition: pl.Expr | pl.Series) -> pl.DataFrame:
    """The records that fulfil the condition; the same table if all do."""
    mask = records.select(condition.fill_null(value=False)).to_series()
    return records if mask.all() else records.filter(mask)


def differing(records: pl.DataFrame, keys: Sequence[str]) -> list[str]:
    """Those of these columns whose values differ, or the first one if none do. They sort, count and
    join the records as all of these columns do, in less time.
    """
    first_values = pl.col(keys).first()
    is_one = records.select(pl.col(keys).eq_missing(first_values).all())
    return [name for name in keys if not is_one[name].item()] or [keys[0]]


def different(records: pl.DataFrame, keys: Sequence[str]) -> int:
    """The number of different values of these columns together."""
    return records.select(differing(records, keys)).n_unique()


def _number(records: pl.DataFrame, keys: Sequence[str]) -> pl.Expr:
    """The rank of the values of these columns in the records. Numbers are grouped and joined in a
    fraction of the time of texts.
    """
    return pl.struct(differing(records, keys)).rank("dense")


SHUFFLED_REPEAT: Final = (
    pl.when(pl.col("shuffle").is_not_null()).then("repeat").alias("shuffled_repeat")
)
"""The repeat of a shuffled run: each repeat shuffles its clauses in another way."""


def has_many_repeats(records: pl.DataFrame) -> bool:
    """Whether a board was measured `MANY` times with one combination, as with seeds."""
    repeats = records.group_by(_number(records, [*PAIR, *BOARD])).len()["len"]
    return bool((repeats >= MANY).any())


def repeat_noun(records: pl.DataFrame) -> str:
    """What differs between the repeats of a run: its seed, its shuffle, or nothing known."""
    varied = {"solver_seed": "seed", "shuffle": "shuffle", "shuffled_repeat": "shuffle"}
    seeds = records.select("solver_seed", "shuffle", SHUFFLED_REPEAT)
    nouns = (noun for name, noun in varied.items() if seeds[name].n_unique() > 1)
    return next(nouns, "repeat")


def count_repeats(records: pl.DataFrame, number: int) -> str:
    """So many repeats in words, by what differs between them."""
    words = counted(number, repeat_noun(records) if number > 1 else "repeat")
    is_shuffled = words.endswith("seeds") and records["shuffle"].is_not_null().any()
    return f"{words} with shuffled clauses" if is_shuffled else words


def versions(records: pl.DataFrame) -> dict[str, dict[str, int]]:
    """For each encoding and each backend that was measured in more than one version, the number of
    runs with each version, most first.
    """
    counts: dict[str, dict[str, int]] = {}
    for kind in PAIR:
        rows = (
            records.drop_nulls(f"{kind}_version")
            .group_by(kind, pl.col(f"{kind}_version").alias("version"))
            .len()
            .filter(pl.len().over(kind) > 1)
            .sort(kind, "len", "version", descending=[False, True, False])
        )
        for name, version, count in rows.iter_rows():
            counts.setdefault(name, {})[version] = count
    return counts


def builds(records: pl.DataFrame) -> dict[str, dict[str, int]]:
    """For each backend of which one version was measured in more than one build, the number of runs
    with each build, most first.
    """
    build = pl.col("backend_build").str.replace(JUDGED, "", literal=True)
    counts: dict[str, dict[str, int]] = {}
    rows = (
        records.drop_nulls(["backend_version", "backend_build"])
        .group_by("backend", "backend_version", "backend_build")
        .len()
        .filter(build.n_unique().over("backend", "backend_version") > 1)
        .sort("backend", "len", "backend_build", descending=[False, True, False])
    )
    for backend, _, build, count in rows.iter_rows():
        counts.setdefault(backend, {})[build] = count
    return counts


def imported(records: pl.DataFrame) -> dict[str, int]:
    """Number of runs from each source that nqbench did not measure here, most first."""
    if "imported_from" not in records.columns:
        return {}
    return _counts(records.drop_nulls("imported_from"), "imported_from")


def elsewhere(records: pl.DataFrame) -> Elsewhere:
    """Number of runs that were not measured for this store: by the store that they were merged
    from, and by the source that they were imported from, most first.
    """
    merged: dict[str, int] = {}
    if "merged_from" in records.columns:
        own = records.filter(MEASURED_HERE).drop_nulls("merged_from")
        merged = _counts(own, "merged_from")
    return Elsewhere(merged, imported(records))


def machines(records: pl.DataFrame) -> dict[str, int]:
    """Number of runs on each machine, most first."""
    return _counts(records, "machine")


def _counts(records: pl.DataFrame, column: str) -> dict[str, int]:
    counts = records.group_by(column).len().sort("len", column, descending=[True, False])
    return dict(counts.iter_rows())


def time_limits(records: pl.DataFrame) -> dict[float, int]:
    """Number of runs under each time limit in seconds, most first."""
    counts = records.group_by("time_limit_s").len()
    return dict(counts.sort("len", "time_limit_s", descending=True).iter_rows())
