"""Reports what was measured, what was not solved, and why."""

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from nqbench.common.units import number_and_noun, seconds, span, thousands
from nqbench.summary.evidence import problem_count
from nqbench.summary.findings.wording import Fact, fit_names, joined, listed, short, with_names
from nqbench.summary.observed import (
    NAMED,
    PAIR,
    REFUSED_BY_BACKEND,
    REFUSED_BY_ENCODING,
    SOLVED,
    different,
)
from nqbench.summary.searches import BEATEN
from nqbench.summary.series import SIZED, noun

_WHY: Final = {
    "timeout": "timed out",
    "memout": "ran out of memory",
    "work-limit": "reached the limit of work",
    "crashed": "crashed",
    "skipped": "were skipped",
    "unavailable": "had no backend",
    "invalid": "had invalid input",
    "wrong": "answered wrongly",
    "beaten": "claimed an optimum that others beat",
    "no encoding": "had an encoding that does not work here",
    "too large": "had too many clauses",
    "refused": "were refused by the solver",
}
"""The reasons, in words. Runs without one gave up."""

_WHOSE: Final = NAMED.alias("whose")


def reasons(records: pl.DataFrame) -> pl.DataFrame:
    """Why runs are unsolved: the columns whose, why and len, the number of such runs of this
    combination, most first.
    """
    missed = records.filter(~SOLVED).with_columns(_WHOSE, _reason(records))
    return missed.group_by("whose", "why").len().sort("len", "why", descending=[True, False])


def unsolved(records: pl.DataFrame) -> Fact:
    """How many runs were solved, and the reasons why others were not."""
    return Fact(solved, len(records.filter(SOLVED)), records, reasons(records))


def solved(number: int, records: pl.DataFrame, missed: pl.DataFrame) -> str:
    """Count the solved runs. Give the reasons and combinations of the others, most first."""
    runs = number_and_noun(len(records), "run")
    is_all = missed.is_empty() and len(records) != 1
    part = f"all {runs}" if is_all else f"{thousands(number)} of {runs}"
    head = f"Solved: {part} of {_extent(records)}"
    if missed.is_empty():
        return f"{head}."
    why, whose = joined(list(_reasons(missed, records))), list(_whose(missed, records))
    return with_names(f"{head}; {why}: ", whose)


def capped(records: pl.DataFrame) -> Iterator[Fact]:
    """The runs that a race stopped, which are neither solved nor unsolved."""
    is_capped = pl.col("outcome") == "capped"
    if number := len(records.filter(is_capped)):
        never = records.group_by(NAMED).agg(is_capped.all()).filter("outcome").sort("pair")["pair"]
        yield Fact(stopped, number, never.to_list())


def stopped(number: int, all_of: Sequence[str]) -> str:
    """Count the runs that a race stopped, and name the combinations with no other runs."""
    names = list(map(short, all_of))

    def sentence(max_names: int) -> str:
        among = f", among them all of {listed(names, max_names)}" if names else ""
        return (
            f"A race stopped {number_and_noun(number, 'run')} early{among}. Tables leave out such "
            "runs, which `nqbench run` measures in full."
        )

    return fit_names(sentence)


def _reason(records: pl.DataFrame) -> pl.Expr:
    """Why a run is unsolved: its outcome, or what `_WHY` has besides. What is unavailable is its
    encoding if the message says so, or if only its backend works with others.
    """
    worked = records.filter(pl.col("outcome") != "unavailable")
    is_encoding = pl.col("message").str.starts_with("encoding '") | (
        pl.col("backend").is_in(worked["backend"].unique().to_list())
        & ~pl.col("encoding").is_in(worked["encoding"].unique().to_list())
    )
    return (
        pl.when(pl.col("verdict") == "refuted")
        .then(pl.lit("wrong"))
        .when((pl.col("outcome") == "unavailable") & is_encoding)
        .then(pl.lit("no encoding"))
        .when((pl.col("outcome") == "invalid") & REFUSED_BY_ENCODING)
        .then(pl.lit("too large"))
        .when((pl.col("outcome") == "invalid") & REFUSED_BY_BACKEND)
        .then(pl.lit("refused"))
        .when((pl.col("outcome") == "finished") & (pl.col("message") == BEATEN))
        .then(pl.lit("beaten"))
        .otherwise("outcome")
        .alias("why")
    )


def _reasons(missed: pl.DataFrame, records: pl.DataFrame) -> Iterator[str]:
    """Count the unsolved runs for each reason, most first."""
    totals = missed.group_by("why").agg(pl.col("len").sum())
    for why, number in totals.sort("len", "why", descending=[True, False]).iter_rows():
        yield f"{thousands(number)} {_words(why)}{_limit(records) if why == 'timeout' else ''}"


def _limit(records: pl.DataFrame) -> str:
    """The limit at which runs timed out, if all had the same one."""
    late = records.filter(~SOLVED & (_reason(records) == "timeout"))
    limits = late["time_limit_s"].unique().to_list()
    return f" at {seconds(limits[0])}" if len(limits) == 1 else ""


def _extent(records: pl.DataFrame) -> str:
    boards = number_and_noun(problem_count(records), noun(records))
    n = records.filter(SIZED)["n"]
    sizes = f" (n = {span(n.to_list())})" if len(n) else ""
    return f"{number_and_noun(different(records, PAIR), 'combination')} on {boards}{sizes}"


def _whose(missed: pl.DataFrame, records: pl.DataFrame) -> Iterator[str]:
    """Count the unsolved runs of each combination, with the reason if reasons differ."""
    runs = dict(records.group_by(_WHOSE).len().iter_rows())
    pairs = missed.group_by("whose").agg("why", "len", all=pl.col("len").sum())
    is_one_reason = missed["why"].n_unique() == 1
    for row in pairs.sort("all", "whose", descending=[True, False]).iter_rows(named=True):
        of = f"{thousands(row['all'])} of {thousands(runs[row['whose']])}"
        numbers = of if is_one_reason else _count_reasons(row["len"], row["why"])
        yield f"{short(row['whose'])} ({numbers})"


def _count_reasons(numbers: Sequence[int], reasons: Sequence[str]) -> str:
    pairs = zip(numbers, reasons, strict=True)
    return ", ".join(f"{thousands(number)} {_words(reason)}" for number, reason in pairs)


def _words(reason: str) -> str:
    return _WHY.get(reason, "gave up")
