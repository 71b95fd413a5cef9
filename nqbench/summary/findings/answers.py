"""Reports whether the answers can be trusted, how many are unchecked, and what checks them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import polars as pl

from nqbench.common.units import counted, number_and_noun, thousands
from nqbench.common.vocabulary import NOT_COUNTED, NOT_SHOWN_BEST, NOT_YET
from nqbench.problems.base import title
from nqbench.summary.findings.wording import (
    Fact,
    count_pairs,
    counts,
    fit_names,
    joined,
    listed,
    short,
    with_names,
)
from nqbench.summary.measured import Measured
from nqbench.summary.observed import MEASURED_HERE, PROBLEM, SOLVED, UNCHECKED
from nqbench.summary.overview import disagreements
from nqbench.summary.series import noun

_HOW: Final = {
    "board": "against the rules of the board",
    "rules": "against the rules of the problem",
    "clauses": "against the clauses",
    "proof": "by a proof",
    "formula": "by a proof about its formula only",
    "theorem": "by a theorem",
    "oracle": "by an exhaustive search",
}


def wrong(measured: Measured) -> Iterator[Fact]:
    """Wrong answers, answers that contradict each other, and crashes."""
    records = measured.records
    if refuted := count_pairs(records.filter(pl.col("verdict") == "refuted")):
        yield Fact(wrong_answers, refuted)
    disputed = disagreements(measured)
    if number := disputed.select(PROBLEM).n_unique():
        sides = disputed.join(disputed.head(1), on=PROBLEM, how="semi", nulls_equal=True)
        problem = title(*sides.select("family", "n", "instance").row(0))
        answers = dict(sides.select("said", "by").rows())
        yield Fact(contradiction, problem, answers, number - 1, noun(records))
    if crashed := count_pairs(records.filter(pl.col("outcome") == "crashed")):
        yield Fact(crashes, crashed)


def wrong_answers(whose: Mapping[str, int]) -> str:
    """Count the wrong answers of each combination."""
    return counts(number_and_noun(sum(whose.values()), "wrong answer"), whose)


def crashes(whose: Mapping[str, int]) -> str:
    """Count the crashes of each combination."""
    return counts(number_and_noun(sum(whose.values()), "crash", "es"), whose)


def contradiction(
    problem: str, answers: Mapping[str, Sequence[str]], others: int, noun: str
) -> str:
    """Name the first problem with different answers, and how many others there are."""
    ending = f" The same holds for {number_and_noun(others, f'more {noun}')}." if others else ""

    def sentence(max_names: int) -> str:
        sides = [f"{answer} by {listed(by, max_names)}" for answer, by in answers.items()]
        return f"At least one answer is wrong: {short(problem)} is called {joined(sides)}.{ending}"

    return fit_names(sentence)


@dataclass(frozen=True, slots=True)
class Checks:
    """How the answers of the runs that were measured here were checked, none of which is wrong: the
    number of all, and of those that were verified in each way, most first. `is_late` is whether
    some are left for later.
    """

    answers: int
    ways: Mapping[str, int]
    is_late: bool

    @classmethod
    def of(cls, measured: Measured) -> Self | None:
        """Those of these records; None without answers, and if one is wrong. Imported ones are not
        checked here, which the cautions say.
        """
        records = measured.records
        solved_runs = records.filter(SOLVED & MEASURED_HERE)
        refuted = (records["verdict"] == "refuted").any()
        if solved_runs.is_empty() or refuted or len(disagreements(measured)):
            return None
        ways = solved_runs.filter(verdict="verified").group_by("checked_by").len()
        ordered = dict(ways.sort("len", "checked_by", descending=True).rows())
        is_late = bool(solved_runs["message"].str.starts_with(NOT_YET).any())
        return cls(len(solved_runs), ordered, is_late)


def checked(measured: Measured) -> Iterator[Fact]:
    """How many answers were checked, if none was wrong."""
    checks = Checks.of(measured)
    if checks and (checks.ways or not checks.is_late):
        yield Fact(how_checked, checks)


def how_checked(checks: Checks) -> str:
    """Count the answers that were checked in each way."""
    how = [f"{thousands(number)} {_HOW.get(way, way)}" for way, number in checks.ways.items()]
    if not how:
        return "No answer could be checked."
    return f"{_checked(checks)} checked and none was wrong ({joined(how)})."


def checked_in_brief(checks: Checks) -> str:
    """The same without the ways."""
    if not checks.ways:
        return "No answer was checked yet."
    return f"{_checked(checks)} checked, and none was wrong."


def _checked(checks: Checks) -> str:
    verified = sum(checks.ways.values())
    if verified == checks.answers:
        return "Every answer was"
    return f"{thousands(verified)} of {number_and_noun(checks.answers, 'answer')} were"


_NUMBER: Final = r"\d+(?:\.\d+)?(?:e\+\d+)?"
_PROOF: Final = r"proof (?:about the rules |by \S+ )?not checked"
_TIMES: Final = (("1m", 60.0), ("10m", 600.0), ("1h", 3600.0), ("10h", 36_000.0))
_SIZES: Final = (("16GiB", 2.0**14), ("64GiB", 2.0**16), ("256GiB", 2.0**18))
_HIGHER: Final = 4
"""A new limit is at least this many times the one that was reached."""


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why answers are unchecked: a pattern of their messages, whose group is a limit, and words for
    one and for several of them. `option` raises the limit, to one of `values`, which are in the
    unit of the messages. With `helps`, a check may help.
    """

    pattern: str
    one: str
    several: str
    helps: bool = False
    option: str = ""
    values: tuple[tuple[str, float], ...] = ()

    def words(self, number: int, limit: str) -> str:
        """So many answers for this reason."""
        at = f" of {limit}" if limit else ""
        return f"{thousands(number)} {self.one if number == 1 else self.several}{at}"

    def advice(self, limit: str) -> str:
        """The option with a limit that is clearly higher; empty if there is none."""
        least = _HIGHER * _value(limit)
        return next((f"{self.option} {text}" for text, value in self.values if value >= least), "")


_REASONS: Final = (
    _Reason(re.escape(NOT_YET), "is left for later", "are left for later", helps=True),
    _Reason(
        rf"{_PROOF}: stopped at the time limit of ({_NUMBER} s)",
        "proof reached the time limit",
        "proofs reached the time limit",
        helps=True,
        option="--proof-time",
        values=_TIMES,
    ),
    _Reason(
        rf"{_PROOF}: longer than ({_NUMBER} MiB)",
        "proof reached the size limit",
        "proofs reached the size limit",
        helps=True,
        option="--proof-size",
        values=_SIZES,
    ),
    _Reason(
        re.escape(NOT_SHOWN_BEST), "k may not be the best", "k may not be the best", helps=True
    ),
    _Reason(
        re.escape(NOT_COUNTED), "list may be incomplete", "lists may be incomplete", helps=True
    ),
    _Reason(
        rf"{_PROOF}|(about the rules )?not checked", "could not be checked", "could not be checked"
    ),
    _Reason("", "has no proof", "have no proof"),  # matches every other message
)
"""The first whose pattern is at the start of a message applies."""


def imported_unchecked(answers: int) -> str:
    """What a check says about so many unchecked answers of imported runs."""
    return f"{counted(answers, 'answer')} of imported runs: not checked here"


def unchecked(records: pl.DataFrame) -> Iterator[Fact]:
    """Why answers are unchecked, most first, and whose they are."""
    missed = records.filter(UNCHECKED)
    counts: Counter[tuple[int, str]] = Counter()
    for message, number in missed.group_by("message").len().iter_rows():
        counts[_reason(message)] += number
    if counts:
        yield Fact(unchecked_answers, counts, list(count_pairs(missed)))


def unchecked_answers(counts: Counter[tuple[int, str]], whose: Sequence[str]) -> str:
    """Count the unchecked answers for each reason, and say which command checks them."""
    most = sorted(counts, key=lambda reason: (-counts[reason], reason))
    why = joined([_REASONS[i].words(counts[i, limit], limit) for i, limit in most])
    command = _command(counts)
    then = f": run `{command}`" if command else ""
    return with_names(f"Unchecked answers: {why} (", whose, f"){then}.")


def higher_limits(messages: Iterable[str]) -> str:
    """The options of `nqbench check` that may check answers that are unchecked for these reasons,
    the messages of their records: limits clearly above those that were reached; empty if there is
    none.
    """
    return _options_above(set(map(_reason, messages)))


def _reason(message: str) -> tuple[int, str]:
    """The position of the reason for this message, and the limit that was reached, if any."""
    for position, reason in enumerate(_REASONS):
        if match := re.match(reason.pattern, message):
            return position, (match[1] if reason.option else "")
    raise AssertionError(message)


def _command(counts: Counter[tuple[int, str]]) -> str:
    """The command that may check some of them; empty if there is none."""
    if not any(_REASONS[position].helps for position, _ in counts):
        return ""
    return f"nqbench check {_options_above(counts)}".strip()


def _options_above(reasons: Iterable[tuple[int, str]]) -> str:
    highest = dict(sorted(reasons, key=lambda reason: _value(reason[1])))
    options = [_REASONS[position].advice(limit) for position, limit in sorted(highest.items())]
    return " ".join(filter(None, options))


def _value(limit: str) -> float:
    return float(limit.partition(" ")[0] or 0)
