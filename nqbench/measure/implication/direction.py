"""Whether one of two formulas implies the other."""

from dataclasses import dataclass
from enum import StrEnum

from nqbench.problems.options import Solution


class State(StrEnum):
    """Whether a statement was shown. `open`: neither shown nor refuted."""

    PROVED = "proved"
    REFUTED = "refuted"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Direction:
    """Whether every model is a solution, or every solution has a model.

    `message` says why it is not proved. `witness` refutes it: what the formula allows and the rules
    forbid, or the other way round.
    """

    state: State = State.OPEN
    message: str = ""
    witness: Solution | None = None
