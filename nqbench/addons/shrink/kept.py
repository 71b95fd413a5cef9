"""What has to stay while a formula becomes smaller: the kind of a failure, or a number of steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, Self

from nqbench.common.errors import InputError
from nqbench.common.printable import without_numbers
from nqbench.common.units import counted
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.records.record import Record

COUNTERS: Final = ("conflicts", "decisions", "propagations", "instructions")
"""What tells that a formula is slow. Times differ from run to run, and are no sign."""

_BEGINNING: Final = 16
"""Characters of a message, without numbers, that say what kind it is."""


_ENDED: Final = (Outcome.CRASHED, Outcome.TIMEOUT, Outcome.MEMOUT)
"""How a run ends that does not say what it was asked."""

_NOT_CHECKED: Final = "proof not checked: "
_WRONG_PROOF: Final = ("it is wrong", "it wrote no proof", "its proof ")
"""What the check says after that of a proof that is wrong, and not only too long to be checked. The
answer of a program may still be right, since the file may hold something else than its proof.
"""


class Kept(Protocol):
    """What records have to show, one of each backend."""

    def shows(self, records: list[Record]) -> bool:
        """Whether these records show it."""

    def words(self, records: list[Record]) -> str:
        """What these records show, in words."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of one backend: how it ended, what it answered, and what the check said. Of several
    queries it is that of the first wrong answer, which the message says; then `answer` is None, as
    a record has that of the last query.
    """

    outcome: Outcome
    answer: Answer | None
    verdict: Verdict
    checked_by: CheckedBy
    ended_by: tuple[int | None, int | None]
    message: str

    @classmethod
    def of(cls, records: Sequence[Record]) -> Self:
        """The failure that these records of the same run show. Raises `InputError` if one of them
        shows none, or another one.
        """
        wrong = [record for record in records if cls.is_one(record)]
        record = next((record for record in records if record not in wrong), records[0])
        if not wrong:
            raise InputError(
                f"{record.backend} shows no fault here ({ending(record)}); slow "
                "formulas need `by=conflicts` or another counter"
            )
        failure = cls._of(wrong[0])
        if not all(failure.shows([record]) for record in records):
            raise InputError(
                f"only {len(wrong)} of {len(records)} runs show a fault, and not always the same: "
                "what comes and goes cannot be made smaller: "
                + "; ".join(dict.fromkeys(ending(record) for record in records))
            )
        return failure

    @staticmethod
    def is_one(record: Record) -> bool:
        """Whether a record shows a failure."""
        is_wrong = record.verdict is Verdict.REFUTED or bool(_flaw_of_proof(record))
        return record.outcome in _ENDED or is_wrong

    @classmethod
    def _of(cls, record: Record) -> Self:
        return cls(
            record.outcome,
            None if record.queries else record.answer,
            record.verdict,
            record.checked_by,
            (record.exit_status, record.signal),
            "".join(filter(str.isalpha, without_numbers(_kind(record))))[:_BEGINNING],
        )

    @property
    def is_of_proof(self) -> bool:
        """Whether the proof is wrong, and perhaps not the answer."""
        is_flawed = self.verdict is not Verdict.REFUTED or self.checked_by is CheckedBy.PROOF
        return self.answer is Answer.UNSAT and is_flawed

    def shows(self, records: list[Record]) -> bool:
        """Whether these records show a failure of this kind."""
        return [self._of(record) for record in records] == [self]

    def words(self, records: list[Record]) -> str:
        """What went wrong."""
        (record,) = records
        if record.outcome is Outcome.CRASHED:
            return f"{record.backend} crashes: {record.message}"
        if record.outcome in _ENDED:
            return f"{record.backend} does not end: {record.message}"
        if record.verdict is not Verdict.REFUTED:
            return f"{record.backend} writes a wrong proof: {_flaw_of_proof(record)}"
        answers = "answers wrongly" if record.queries else f"answers '{record.answer}'"
        return f"{record.backend} {answers}: {record.message}"


@dataclass(frozen=True, slots=True)
class Slowness:
    """At least so many steps of the first backend, and `factor` times as many as of a second one,
    if there is one.
    """

    by: str
    factor: float
    at_least: int

    def shows(self, records: list[Record]) -> bool:
        """Whether these records show it."""
        numbers = self._numbers(records)
        if numbers is None or numbers[0] < self.at_least:
            return False
        return len(numbers) == 1 or numbers[0] >= self.factor * max(1, numbers[1])

    def words(self, records: list[Record]) -> str:
        """The numbers of steps."""
        return ", ".join(
            f"{record.backend}: {counted(getattr(record, self.by) or 0, self.by.removesuffix('s'))}"
            for record in records
        )

    def _numbers(self, records: list[Record]) -> list[int] | None:
        if any(record.outcome is not Outcome.FINISHED for record in records):
            return None
        answers = {record.answer for record in records}
        numbers = [getattr(record, self.by) for record in records]
        if len(answers) > 1 or not numbers or None in numbers:
            return None
        return numbers


def _kind(record: Record) -> str:
    """What the message of a record says of the kind of its failure."""
    if record.outcome in _ENDED and record.outcome is not Outcome.CRASHED:
        return ""  # it names the query
    return _flaw_of_proof(record) or record.message


def _flaw_of_proof(record: Record) -> str:
    """What is wrong with a proof by which the answer was not checked; empty if nothing is."""
    _, is_open, why = record.message.partition(_NOT_CHECKED)
    why = why.removeprefix(f"{record.backend}: ")
    return why if is_open and why.startswith(_WRONG_PROOF) else ""


def ending(record: Record) -> str:
    """How a run ended, and why."""
    reason = f": {record.message}" if record.message else ""
    return f"{record.outcome}, {record.answer or 'no answer'}, {record.verdict}{reason}"
