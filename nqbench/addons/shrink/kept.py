"""What has to stay while a formula becomes smaller: the kind of a failure, or a number of steps."""

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
    def of(cls, record: Record) -> Self:
        """The failure in a record. Raises `InputError` if there is none."""
        if not cls.is_one(record):
            shown = f"{record.outcome}, {record.answer or 'no answer'}, {record.verdict}"
            reason = f": {record.message}" if record.message else ""
            raise InputError(
                f"{record.backend} shows no fault here ({shown}{reason}); slow formulas need "
                "--by conflicts"
            )
        return cls._of(record)

    @staticmethod
    def is_one(record: Record) -> bool:
        """Whether a record shows a failure."""
        return record.outcome is Outcome.CRASHED or record.verdict is Verdict.REFUTED

    @classmethod
    def _of(cls, record: Record) -> Self:
        return cls(
            record.outcome,
            None if record.queries else record.answer,
            record.verdict,
            record.checked_by,
            (record.exit_status, record.signal),
            "".join(filter(str.isalpha, without_numbers(record.message)))[:_BEGINNING],
        )

    @property
    def is_of_proof(self) -> bool:
        """Whether the proof is wrong, and perhaps not the answer."""
        return self.checked_by is CheckedBy.PROOF and self.answer is Answer.UNSAT

    def shows(self, records: list[Record]) -> bool:
        """Whether these records show a failure of this kind."""
        return [self._of(record) for record in records] == [self]

    def words(self, records: list[Record]) -> str:
        """What went wrong."""
        (record,) = records
        if record.outcome is Outcome.CRASHED:
            return f"{record.backend} crashes: {record.message}"
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
