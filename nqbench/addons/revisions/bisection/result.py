"""What a bisection found, which shows itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqbench.addons.revisions.bisection.judgement import Judgement, Kind
from nqbench.addons.revisions.repository import Commit
from nqbench.common.units import counted

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Step:
    """A commit, and what was said of it."""

    commit: Commit
    judgement: Judgement

    def described(self, steps_left: int = 0) -> str:
        """The commit, what was said of it, and about how many steps are left, in a line."""
        left = f"; about {counted(steps_left, 'step')} left" if steps_left else ""
        return f"{self.commit}: {self.judgement.mark}, {self.judgement.why}{left}"


@dataclass(frozen=True, slots=True)
class Bisection:
    """Which commit made a solver worse.

    `candidates` are the commits of which one is the first bad one; empty if good and bad could not
    be distinguished, and then `cannot_tell` says why. `steps` are the commits that were judged, the
    ends first. `runs` were used, of which `measured` were not recorded before. `again` is the
    command that judges the commit and the one before it once more.
    """

    by: Kind
    repository: str
    good: Commit
    bad: Commit
    candidates: Sequence[Commit]
    steps: Sequence[Step]
    runs: int
    measured: int
    again: str = ""
    cannot_tell: str = ""

    @property
    def commit(self) -> Commit | None:
        """The first bad commit; None if there is more than one candidate, or none."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    @property
    def evidence(self) -> str:
        """What the first bad commit did, in words; empty if there is none."""
        if (commit := self.commit) is None:
            return ""
        return next((s.judgement.why for s in self.steps if s.commit.digits == commit.digits), "")

    def table(self) -> "pl.DataFrame":
        """A row for each commit that was judged, in that order."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "commit": step.commit.digits,
                    "date": step.commit.date,
                    "subject": step.commit.subject,
                    "mark": step.judgement.mark.value,
                    "why": step.judgement.why,
                    "runs": step.judgement.runs,
                }
                for step in self.steps
            ],
            infer_schema_length=None,
        )

    def sentences(self) -> list[str]:
        """The answer in words, the most important first."""
        where = f"in {self.repository} by {self.by}"
        if self.cannot_tell:
            answer = f"Cannot tell good from bad {where}: {self.cannot_tell}."
        elif self.commit:
            answer = f"The first bad commit {where} is {self.commit}: {self.evidence}."
        else:
            names = ", ".join(commit.short for commit in self.candidates)
            answer = (
                f"Cannot tell which of {counted(len(self.candidates), 'commit')} is the first bad "
                f"one {where}: {names}."
            )
        judged = counted(len(self.steps), "commit")
        used = f"{counted(self.runs, 'run')} on {judged}, of which {self.measured} measured now"
        again = [f"See it again: {self.again}"] if self.again else []
        return [answer, f"{used}.", *again]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    __repr__ = __str__  # in a notebook
