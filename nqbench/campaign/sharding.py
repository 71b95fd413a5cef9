"""Divides the runs of a campaign into parts that separate jobs measure, each by itself.

Every job computes all parts from the same facts, so that nothing has to be handed out: the planned
runs without their machine, and recorded times from a store that no job writes to. What a job has
measured so far changes nothing.

Runs that belong together stay in one part: the repeats of a run, so that their variation is that of
one machine, unless there are more parts than that; with `give_up_after`, all runs of a family, an
encoding and a backend, so that the same runs are skipped as in one campaign; with a budget, all
runs of a problem, so that combinations are measured on the same problems.

The longest groups are assigned first, each to the part with the least time so far (R. Graham,
"Bounds on multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17(2), 1969).
"""

import hashlib
import heapq
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from nqbench.campaign.execution import Execution
from nqbench.common.errors import InputError
from nqbench.common.parsing import Shard
from nqbench.common.units import counted, duration, factor
from nqbench.common.vocabulary import When
from nqbench.problems import foreign
from nqbench.records import sources
from nqbench.records.record import Run
from nqbench.records.runs import Numbers, Runs, firsts, ranks

if TYPE_CHECKING:
    import polars as pl

_TIMED: Final = ("family", "instance", "n", "encoding", "backend", "task")
_SPENT: Final = ("encode_s", "wall_s")
_CHECKED: Final = "verify_s"

Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a campaign: `runs` of `all_runs`.

    `seconds` are the times of all parts by recorded runs; empty without these. Times of `guessed`
    runs come from other sizes or combinations. `plan` is the same 8 hexadecimal digits for all jobs
    that divide the campaign alike.
    """

    shard: Shard
    runs: int
    all_runs: int
    seconds: Sequence[float]
    guessed: int
    plan: str

    def __str__(self) -> str:
        head = f"part {self.shard}: {self.runs} of {counted(self.all_runs, 'run')}"
        if not self.seconds:
            return (
                f"{head}. Parts have the same number of runs, and may take very different times: "
                f"--times FOLDER balances them by recorded runs. Plan {self.plan}."
            )
        least, most = min(self.seconds), max(self.seconds)
        guessed = f", {self.guessed} runs by those of others" if self.guessed else ""
        more = f"{100 * (most / least - 1):.0f} % more than"
        if most > 2 * least:
            more = f"{factor(most / least)} times as long as"
        return (
            f"{head}, {duration(self.seconds[self.shard.number - 1])} by recorded runs{guessed}. "
            f"The longest part takes {duration(most)}, {more} the shortest. Plan {self.plan}."
        )


def check(execution: Execution, folder: Path | None) -> None:
    """Raise `InputError` for options that contradict each other: `folder` is where a part is
    recorded.
    """
    if execution.times and not execution.shard:
        raise InputError("`times` balances the parts of a campaign: add `shard`, or leave it out")
    if execution.shard and execution.budget_s is not None and execution.give_up_after is not None:
        raise InputError(
            "a part with `budget` has whole problems, and one with `give_up_after` whole "
            "combinations: leave out one of the two"
        )
    if execution.times and folder and _place(execution.times) == _place(folder):
        raise InputError(
            f"times are read from {sources.shown(folder)}, which this part changes: name "
            "another folder for its results"
        )


def share(runs: Sequence[Run], execution: Execution, shard: Shard) -> tuple[Runs, Share]:
    """The runs of the part, in the given order, and what is known of all parts. Raises `InputError`
    if there are more parts than groups of runs.
    """
    costs = None
    if execution.times:
        table = sources.read_raw(str(execution.times), [*_TIMED, *_SPENT, _CHECKED])
        costs = _Costs.of(table, execution.checking.when)
    planned = Runs.of(runs)
    group = _groups(planned, execution, shard.parts)
    groups = int(group.max()) + 1
    if groups < shard.parts:
        raise InputError(f"{shard.parts} parts are too many: {_name_limit(groups, execution)}")
    weights = np.bincount(group, costs.milliseconds(planned) if costs else None).astype(int)
    part_of, loads = _divided(weights, shard.parts)
    part = part_of[group]
    chosen = planned.chosen(part == shard.number - 1)
    return chosen, Share(
        shard,
        len(chosen),
        len(planned),
        [load / 1000 for load in loads] if costs else (),
        costs.guessed if costs else 0,
        _digest(planned, part),
    )


def _place(path: Path) -> Path:
    return sources.new_store(path).resolve() if path.suffix != sources.STORE else path.resolve()


def _name_limit(groups: int, execution: Execution) -> str:
    if execution.give_up_after is not None:
        return f"with give_up_after, the campaign has {counted(groups, 'part')} at most"
    if execution.budget_s is not None:
        return f"with a budget, each has whole problems, of which there are {groups}"
    return f"the campaign has {counted(groups, 'run')}"


def _digest(runs: Runs, part: Numbers) -> str:
    """A hash of the part of each run, equal on every machine."""
    encode = msgspec.json.encode
    problems = [encode(foreign.problem_identity(problem)) for problem in runs.every_problem]
    templates = [
        encode((run.encoding, run.backend, str(run.task), run.seed, run.shuffle))[1:-1]
        for run in runs.every_template
    ]
    digest = hashlib.blake2b(digest_size=4)
    before = b"["
    for (problem, template, repeat, seed), number in zip(runs.rows(), part, strict=True):
        spelled_seed = b"null" if seed is None else b"%d" % seed
        key = b"%b[[%b,%b,%b,%d],%d]"
        digest.update(
            key % (before, problems[problem], templates[template], spelled_seed, repeat, number)
        )
        before = b","
    digest.update(b"]")
    return digest.hexdigest()


def _groups(runs: Runs, execution: Execution, parts: int) -> Numbers:
    """The group of each run, in the order of their first runs."""
    if execution.give_up_after is not None:
        return ranks(runs.numbered(lambda p: p.family, lambda run: (run.encoding, run.backend)))
    if execution.budget_s is not None:
        return ranks(runs.problem)
    alike = runs.numbered(
        lambda problem: problem, lambda run: (run.encoding, run.backend, run.task, run.limits)
    )
    groups = ranks(alike)
    if groups.max() + 1 < parts:  # repeats are divided, too
        return ranks(groups * (int(runs.repeat.max()) + 1) + runs.repeat)
    return groups


def _divided(weights: Numbers, parts: int) -> tuple[Numbers, list[int]]:
    """The part of each group, and the weight of each part. Equal weights keep their order."""
    order = np.argsort(-weights, kind="stable")
    part_of = np.empty(len(weights), int)
    if weights[order[0]] == weights[order[-1]]:
        part_of[order] = np.arange(len(weights)) % parts
    else:
        queue = [(0, part) for part in range(parts)]
        for group in order.tolist():
            load, part = queue[0]
            part_of[group] = part
            heapq.heapreplace(queue, (load + int(weights[group]), part))
    return part_of, np.bincount(part_of, weights, parts).astype(int).tolist()


@dataclass(slots=True)
class _Costs:
    """Times of runs by recorded runs: of the same problem and combination, else of the same
    combination at the closest n, else the mean. `guessed` counts the last two.
    """

    of_run: Mapping[Key, float]
    of_combination: Mapping[Key, Mapping[int | None, float]]
    mean_s: float
    guessed: int = 0

    @classmethod
    def of(cls, table: "pl.DataFrame", when: When) -> "_Costs":
        """The medians of recorded times; without checks if they are made later."""
        import polars as pl

        spent = [*_SPENT, *([_CHECKED] if when is When.NOW else [])]
        rows = (
            table.drop_nulls("wall_s")
            .with_columns(cost=pl.sum_horizontal(pl.col(spent).fill_null(0.0)))
            .select(*_TIMED, "cost")
        )
        if rows.is_empty():
            raise InputError("the results for `times` have no recorded times: name others")
        by_run: dict[Key, list[float]] = {}
        by_size: dict[Key, dict[int | None, list[float]]] = {}
        for family, instance, n, encoding, backend, task, cost in rows.rows():
            key = (family, instance, n, encoding, backend, task)
            by_run.setdefault(key, []).append(cost)
            sizes = by_size.setdefault((family, encoding, backend, task), {})
            sizes.setdefault(n, []).append(cost)
        return cls(
            {key: statistics.median(costs) for key, costs in by_run.items()},
            {
                key: {n: statistics.median(costs) for n, costs in sizes.items()}
                for key, sizes in by_size.items()
            },
            statistics.fmean(rows["cost"].to_list()),
        )

    def milliseconds(self, runs: Runs) -> NDArray[np.integer]:
        """The time of each run, at least 1: whole numbers add up to the same on every machine."""
        numbers = runs.numbered(lambda problem: problem)
        counts = np.bincount(numbers)
        times = np.zeros(len(counts), int)
        for at in firsts(numbers).tolist():
            number = numbers[at]
            times[number] = max(1, round(1000 * self._seconds(runs[at], int(counts[number]))))
        return times[numbers]

    def _seconds(self, run: Run, runs: int) -> float:
        problem, task = run.problem, str(run.task)
        key = (problem.family, problem.instance, problem.n, run.encoding, run.backend, task)
        if key in self.of_run:
            return self.of_run[key]
        self.guessed += runs
        sizes = self.of_combination.get((problem.family, run.encoding, run.backend, task))
        if not sizes:
            return self.mean_s
        nearest = min(sizes, key=lambda n: (abs((n or 0) - (problem.n or 0)), n or 0))
        return sizes[nearest]
