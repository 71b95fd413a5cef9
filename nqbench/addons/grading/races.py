"""Measures the formulas that are right, by several solvers and with their clauses shuffled."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.campaign.execution import Execution
from nqbench.campaign.job import Campaigns
from nqbench.campaign.narrator import Narrator
from nqbench.campaign.progress import Progress
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.problems.families.cnf import Formula
from nqbench.summary.comparisons import decided
from nqbench.summary.observed import spread

_SEED: Final = 1
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Heat:
    """A formula that is right, and where it is."""

    submission: str
    n: int
    path: Path

    @property
    def problem(self) -> Formula:
        """The formula under the name that its records have, which is that of its file if somebody
        names the folder of all, as for a bundle.
        """
        return Formula.at(self.path, f"{self.path.parent.name}/{self.path.name}")


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a submission at one n, over solvers and shuffles: the median, and the least and
    greatest, or the quartiles of many. An unsolved run counts as its limit.
    """

    median_s: float
    low_s: float
    high_s: float
    runs: int
    unsolved: int


def race(
    heats: Sequence[Heat],
    folder: Path,
    *,
    backends: Sequence[str],
    shuffles: int,
    limits: Limits,
    fresh: bool,
    command: str,
    display: Progress | None,
) -> pl.DataFrame:
    """Measure every formula with every backend, and return the records as if each submission were
    an encoding of n queens. What is recorded in the folder is not measured again.

    Raises as `Job.measure` does, and `InputError` for an unknown backend.
    """
    problems = {heat.problem.instance: heat for heat in heats}
    settings = {
        "backends": list(backends),
        "repeat": shuffles,
        "shuffle": _SEED,
        "time_s": limits.time_s,
        "memory_bytes": limits.memory_bytes,
    }
    campaigns = Campaigns.of_problems([heat.problem for heat in heats], settings)
    job = replace(campaigns.job(Execution.usual(fresh=fresh)), folder=folder, command=command)
    job.check()
    with job.measure(Narrator(display, fresh=fresh)) as records:
        return _by_submission(records, problems)


def _by_submission(records: pl.DataFrame, heats: Mapping[str, Heat]) -> pl.DataFrame:
    names = {instance: heat.submission for instance, heat in heats.items()}
    sizes = {instance: heat.n for instance, heat in heats.items()}
    instance = pl.col("instance")
    return records.with_columns(
        family=pl.lit("queens"),
        encoding=instance.replace_strict(names, return_dtype=pl.String),
        n=instance.replace_strict(sizes, return_dtype=pl.Int64),
        instance=pl.lit(""),
        problem_digest=pl.lit(None, pl.String),
    )


def times(records: pl.DataFrame) -> dict[tuple[str, int], Times]:
    """The times of each submission at each n."""
    table = spread(summary.observed(records), ["encoding", "n"])
    names = ("median_s", "low_s", "high_s", "runs", "unsolved")
    return {
        (row["encoding"], row["n"]): Times(*(row[name] for name in names))
        for row in table.iter_rows(named=True)
    }


def letters(records: pl.DataFrame, names: Iterable[str]) -> dict[str, str]:
    """Letters for the submissions of these names: two share one if no difference was decided.
    Submissions with the same clauses for each n count once, as one of them.

    A unit of evidence is an n with a solver, and its cost the PAR-2 of the shuffles. It is decided
    as in summaries, for all pairs together: whether one is typically faster, or solves more. The
    fastest, by mean rank, has `a`.
    """
    of_names = records.filter(pl.col("encoding").is_in(list(names)))
    stands_for = _with_the_same_clauses(of_names)
    of_names = of_names.filter(pl.col("encoding").is_in(stands_for.values()))
    if len(stands_for) < 2:
        return {}
    if of_names["encoding"].n_unique() < 2:
        return dict.fromkeys(stands_for, _letter(0))
    measured = summary.Measured(_as_backends(of_names))
    order = summary.ranks(measured)["pair"].to_list()
    is_different = (pl.col("typical") != 0) | (pl.col("solves_more") != 0)
    different = decided(measured, "solve_s").filter(is_different)
    by_name: dict[str, str] = dict.fromkeys(order, "")
    pairs = different.select("first", "second").rows()
    for number, group in enumerate(undecided_groups(order, pairs)):
        for name in group:
            by_name[name] += _letter(number)
    return {name: by_name[other] for name, other in stands_for.items()}


def _with_the_same_clauses(records: pl.DataFrame) -> dict[str, str]:
    """For each submission, the first one with the same clauses for each n: times of different hours
    would tell them apart.
    """
    digest = pl.coalesce("clauses_digest", "instance_digest", "encoding").alias("digest")
    clauses = pl.struct("n", digest)
    same = (
        records.group_by("encoding")
        .agg(clauses.unique().sort().alias("clauses"))
        .with_columns(first=pl.col("encoding").min().over("clauses"))
    )
    return dict(same.select("encoding", "first").sort("encoding").rows())


def undecided_groups(order: Sequence[str], different: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The largest groups of names of which no two differ, in this order: two names share a group
    if and only if they do not differ (H.-P. Piepho, Journal of Computational and Graphical
    Statistics 13, 2004).
    """
    groups = [frozenset(order)]
    for pair in different:
        both = [group for group in groups if group.issuperset(pair)]
        split = [group - {name} for group in both for name in pair]
        candidates = [*(group for group in groups if group not in both), *split]
        groups = []
        for group in sorted(candidates, key=len, reverse=True):
            if not any(group <= other for other in groups):
                groups.append(group)
    place = {name: i for i, name in enumerate(order)}
    ordered = [sorted(group, key=place.__getitem__) for group in groups]
    return sorted(ordered, key=lambda group: [place[name] for name in group])


def _as_backends(records: pl.DataFrame) -> pl.DataFrame:
    """The records as if each submission were a backend, and each n with a solver a problem."""
    return records.with_columns(encoding=pl.lit(AS_IT_IS), backend="encoding", instance="backend")


def _letter(number: int) -> str:
    """The letters from a to z, then A to Z, then numbers in parentheses."""
    both = _LETTERS + _LETTERS.upper()
    return both[number] if number < len(both) else f"({number + 1})"
