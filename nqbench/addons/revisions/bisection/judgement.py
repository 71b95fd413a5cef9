"""What is said of a commit, and who says it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from nqbench.addons.revisions.repository import Commit


class Mark(StrEnum):
    """What is said of a commit, in the words of `git bisect`. `skip`: it cannot be said."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"


class Kind(StrEnum):
    """By what commits are judged."""

    CONFLICTS = "conflicts"
    ANSWER = "answer"
    CRASH = "crash"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A mark, why, and by how many runs, of which some may have been recorded before."""

    mark: Mark
    why: str
    runs: int


class CannotTellError(Exception):
    """The good and the bad commit do not differ by more than the noise; it says so in words."""


class Judge(Protocol):
    """Judges commits by comparing them with the good one."""

    def begin(self, good: Commit, bad: Commit) -> tuple[Judgement, Judgement]:
        """Judge the two ends. Raises `InputError` if they are not what they are said to be, and
        `CannotTellError` if that cannot be said.
        """

    def judge(self, commit: Commit) -> Judgement:
        """Judge a commit between them."""
