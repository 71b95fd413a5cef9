"""Makes a statement smaller, by its passes in turns, until nothing more can be taken away."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nqbench.addons.shrink.statement import Keep, Pass, Statement
from nqbench.common.units import counted

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long is shrunk at most: seconds, and runs of solvers."""

    seconds: float
    runs: int


class _OverError(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Shrinking:
    """Shrinks one statement. `shows` runs the solver, and says whether the fault is still there; it
    is asked once about each text. What is smallest so far is always kept.
    """

    shows: Keep
    budget: Budget
    tell: Tell
    runs: int = 0
    is_minimal: bool = False
    is_interrupted: bool = False
    _until: float = field(init=False)
    _known: dict[str, bool] = field(init=False, default_factory=dict)
    _best: Statement = field(init=False)
    _is_sensible: bool = field(init=False)

    def shrink(self, start: Statement, passes: Sequence[Pass]) -> Statement:
        """The smallest statement that was found, beginning with one that shows the fault. Ctrl-C
        ends it as the budget does.
        """
        self._best, self._until = start, time.monotonic() + self.budget.seconds
        self._is_sensible = start.is_sensible
        try:
            before = None
            while before != self._best:
                before = self._best
                for step in passes:
                    self._best = step(self._best, self._keep)
            self.is_minimal = True
        except _OverError:
            pass
        except KeyboardInterrupt:
            self.is_interrupted = True
        return self._best

    def _keep(self, candidate: Statement) -> bool:
        if self._is_sensible and not candidate.is_sensible:
            return False
        text = candidate.text()
        if text not in self._known:
            if self.runs >= self.budget.runs or time.monotonic() > self._until:
                raise _OverError
            self.runs += 1
            self._known[text] = self.shows(candidate)
            if self._known[text]:
                self._best = candidate
            self.tell(f"{self._best.size()} after {counted(self.runs, 'run')}")
        return self._known[text]
