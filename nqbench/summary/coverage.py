"""On how many problems combinations can be compared."""

from dataclasses import dataclass

from nqbench.common.units import counted, thousands
from nqbench.summary.evidence import problem_count
from nqbench.summary.measured import Measured, Records
from nqbench.summary.over_instances import noun


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many problems were measured, and how many of them with every combination on at least one
    machine.
    """

    common: int
    measured: int
    noun: str

    @property
    def caution(self) -> str:
        """What to say beside times and ranks of these problems; empty if all are compared."""
        if self.common == self.measured:
            return ""
        if not self.common:
            return (
                f"No {self.noun} was measured with every combination: times are not comparable, "
                "and there is no order."
            )
        part = f"{thousands(self.common)} of {thousands(self.measured)} {self.noun}s"
        return f"Times and order are of the {part} that every combination was measured on."

    @property
    def note(self) -> str:
        """What to say below a figure of these problems; empty if all are compared."""
        if self.common == self.measured:
            return ""
        problems = counted(self.measured, self.noun)
        return f"Of {problems}, only the {self.common} that every combination ran on"


def coverage(records: Records) -> Coverage:
    """On how many of the problems of these records all combinations were measured."""
    measured = Measured.of(records)
    common, total = (
        problem_count(runs.records) for runs in (measured.on_common, measured.possible)
    )
    return Coverage(common, total, noun(measured.records))
