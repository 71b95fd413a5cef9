"""Judges commits by what does not vary: conflicts, answers, and crashes."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Final

from nqbench.addons.revisions.bisection.judgement import Judge, Judgement, Mark
from nqbench.addons.revisions.bisection.trials import Trials
from nqbench.addons.revisions.repository import Commit
from nqbench.common.errors import InputError
from nqbench.common.printable import listed, printable
from nqbench.common.vocabulary import Answer, Outcome, Verdict
from nqbench.records.record import Record

_DECIDED: Final = (Answer.SAT, Answer.UNSAT)
_SELF_TEST: Final = "self-test failed: got"
_NOT_BUILT: Final = "the build of "


class _Exact(Judge):
    """Judges each commit by one run of each problem."""

    noun: str

    def __init__(self, trials: Trials) -> None:
        self._trials = trials

    def begin(self, good: Commit, bad: Commit) -> tuple[Judgement, Judgement]:
        """Judge the two ends, as `Judge` has it."""
        (reference,) = self._trials.records([(good, 0)])
        self._learn(reference)
        ends = self._judgement(reference), self.judge(bad)
        for end, commit, mark in zip(ends, (good, bad), (Mark.GOOD, Mark.BAD), strict=True):
            if end.mark is not mark:
                raise InputError(
                    f"{commit.short} is not {mark} by {self.noun}: {end.why or 'it is like good'}"
                )
        return ends

    def judge(self, commit: Commit) -> Judgement:
        """Judge a commit between them."""
        (records,) = self._trials.records([(commit, 0)])
        return self._judgement(records)

    def _judgement(self, records: Sequence[Record]) -> Judgement:
        mark, why = self._mark(records)
        return Judgement(mark, printable(why, 400), len(records))

    def _learn(self, reference: Sequence[Record]) -> None:
        """Note what the good commit did."""

    @abstractmethod
    def _mark(self, records: Sequence[Record]) -> tuple[Mark, str]:
        """What the runs of a commit say of it, and why."""


class ByConflicts(_Exact):
    """Bad is a commit with more conflicts on all problems together, by more than the share `above`.
    The counts have to be the same each time.
    """

    noun = "conflicts"

    def __init__(self, trials: Trials, above: float | None) -> None:
        super().__init__(trials)
        self._above = above or 0.0
        self._reference = 0

    def begin(self, good: Commit, bad: Commit) -> tuple[Judgement, Judgement]:
        """Judge the two ends, as `Judge` has it."""
        for commit in (good, bad):
            counts = [
                _conflicts(records) for records in self._trials.records([(commit, 0), (commit, 1)])
            ]
            if None not in counts and counts[0] != counts[1]:
                raise InputError(
                    f"{commit.short} has {counts[0]} conflicts, and then {counts[1]}: they vary. "
                    "Bisect by time instead"
                )
        return super().begin(good, bad)

    def _learn(self, reference: Sequence[Record]) -> None:
        count = _conflicts(reference)
        if count is None:
            raise InputError(f"the good commit has no number of conflicts: {_missing(reference)}")
        self._reference = count

    def _mark(self, records: Sequence[Record]) -> tuple[Mark, str]:
        count = _conflicts(records)
        if count is None:
            return Mark.SKIP, _missing(records)
        is_bad = count > self._reference * (1 + self._above)
        said = f"{count} conflicts"
        if count != self._reference:
            said += f", {self._reference} in the good commit"
        return (Mark.BAD if is_bad else Mark.GOOD), said


class ByAnswer(_Exact):
    """Bad is a commit with a refuted answer, or with another one than the verified answer of the
    good commit.
    """

    noun = "answer"

    def _learn(self, reference: Sequence[Record]) -> None:
        self._known = {
            str(at): record.answer
            for at, record in enumerate(reference)
            if record.verdict is Verdict.VERIFIED
        }

    def _mark(self, records: Sequence[Record]) -> tuple[Mark, str]:
        wrong = [
            f"{_about(record)}: {why}"
            for at, record in enumerate(records)
            if (why := self._why_wrong(at, record))
        ]
        if wrong:
            return Mark.BAD, f"wrong: {listed(wrong, 2, '; ')}"
        if silent := [record for record in records if record.answer not in _DECIDED]:
            return Mark.SKIP, _describe(silent[0])
        return Mark.GOOD, f"right on {len(records)} of {len(records)} problems"

    def _why_wrong(self, at: int, record: Record) -> str:
        if record.verdict is Verdict.REFUTED:
            return record.message
        if record.outcome is Outcome.UNAVAILABLE and _SELF_TEST in record.message:
            return record.message
        known = self._known.get(str(at))
        if known is not None and record.answer in _DECIDED and record.answer is not known:
            return f"'{record.answer}', but '{known}' was verified"
        return ""


class ByCrash(_Exact):
    """Bad is a commit that crashes on a problem, or does not pass the self-test."""

    noun = "crash"

    def _mark(self, records: Sequence[Record]) -> tuple[Mark, str]:
        crashed = [
            record
            for record in records
            if record.outcome is Outcome.CRASHED
            or (record.outcome is Outcome.UNAVAILABLE and not _is_unbuilt(record))
        ]
        if crashed:
            return Mark.BAD, _describe(crashed[0])
        if stopped := [record for record in records if record.outcome is not Outcome.FINISHED]:
            return Mark.SKIP, _describe(stopped[0])
        return Mark.GOOD, f"no crash on {len(records)} of {len(records)} problems"


def _conflicts(records: Sequence[Record]) -> int | None:
    """The conflicts on all problems; None if one is not solved or reports none."""
    counts = [
        record.conflicts if record.outcome is Outcome.FINISHED else None for record in records
    ]
    return None if None in counts else sum(count or 0 for count in counts)


def _missing(records: Sequence[Record]) -> str:
    """Why there is no number of conflicts."""
    unsolved = [record for record in records if record.outcome is not Outcome.FINISHED]
    if unsolved:
        return _describe(unsolved[0])
    return "it prints none that nqbench knows: say in its recipe whose statistics it `prints`"


def _describe(record: Record) -> str:
    return f"{_about(record)} {record.outcome}: {record.message or record.answer}"


def _about(record: Record) -> str:
    return record.instance or f"{record.family} n={record.n}"


def _is_unbuilt(record: Record) -> bool:
    return record.message.startswith(_NOT_BUILT)
