"""The actions behind the controls of a window, without the window."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nqbench.addons.teaching.history import History
from nqbench.addons.teaching.steps import LARGEST, Moment, Watched
from nqbench.backends.base import StepKind
from nqbench.common.errors import InputError
from nqbench.common.units import counted
from nqbench.problems import board_files
from nqbench.problems.queens import EMPTY_BOARDS, Queens
from nqbench.show.boards.board import Board

_SQUARES_KEPT: Final = 500_000
"""Number of squares of all boards to go back to; they take about 40 MB."""


@dataclass(frozen=True, slots=True)
class _State:
    """The state that is shown before, during or after the search, and its description."""

    what: str
    moment: Moment | None
    is_last: bool = False


class Player:
    """A board, and a search on it that steps forward and back on request.

    `what` describes what is shown. `backend` is the name of the searching backend.
    """

    def __init__(self, problem: Queens, encoding: str | None, backend: str) -> None:
        self._begin(problem, encoding, backend)

    @property
    def board(self) -> Board:
        """The board that is shown."""
        if self._state.moment is None:
            return Board(self.problem, attacked=self._previews)
        return self._state.moment.board(self.problem)

    @property
    def is_over(self) -> bool:
        """Whether the end of the search is shown."""
        return self._state.is_last

    def choose(self, path: Path) -> None:
        """Use the board of a file. If it is invalid, keep the old board and raise `InputError`."""
        self._begin(board_files.read(path), self._encoding, self.backend)

    def resize(self, rows: str) -> None:
        """Use an empty board with `rows` rows. On `InputError` the old board stays."""
        if not (rows.isascii() and rows.isdigit()):
            raise InputError(f"'{rows:.20}' is not a number of rows: write 1 to {LARGEST}")
        family = self.problem.family if self.problem.family in EMPTY_BOARDS else EMPTY_BOARDS[0]
        self._begin(Queens(int(rows), family), self._encoding, self.backend)

    def search_with(self, backend: str) -> None:
        """Search with this backend, on an instance that fits it. If that is impossible, keep the
        old backend and raise `InputError`.
        """
        self._begin(self.problem, None, backend)

    def preview(self) -> None:
        """Go back to the start, and mark the squares that the placed queens attack."""
        self.restart()
        self._previews = True
        queens = counted(len(self.problem.placed), "queen")
        self.what = f"{self.problem}: {queens} placed, attacked squares marked"

    def restart(self) -> None:
        """Go back to the start."""
        most_states = max(100, _SQUARES_KEPT // self.problem.n**2)
        self._history = History(self._states(), most_states)
        self._previews = False
        self.step()

    def step(self) -> bool:
        """Show the next step; False if the search is over."""
        return self._show(self._history.forward())

    def back(self) -> bool:
        """Show the previous step; False at the start, or if no earlier step was kept."""
        return self._show(self._history.back())

    def run(self, steps: int, seconds: float) -> bool:
        """Take `steps` steps, fewer if the time is up; False at a solution or the end."""
        deadline = time.monotonic() + seconds
        for _ in range(steps):
            if not self.step() or self.is_over:
                return False
            if self._state.moment and self._state.moment.kind is StepKind.SOLUTION:
                return False
            if time.monotonic() > deadline:
                break
        return True

    def _begin(self, problem: Queens, encoding: str | None, backend: str) -> None:
        watched = Watched.named(problem, encoding, backend)
        self.problem = problem
        self.backend = watched.backend.name
        self._encoding = encoding
        self._watched = watched
        self.restart()

    def _states(self) -> Iterator[_State]:
        solutions, moment = 0, None
        yield _State(f"{self.problem}", moment)
        for moment in self._watched.moments():
            solutions += moment.kind is StepKind.SOLUTION
            yield _State(str(moment), moment)
        result = counted(solutions, "solution") if solutions else "no solutions"
        yield _State(f"{result}: the search is over", moment, is_last=True)

    def _show(self, state: _State | None) -> bool:
        if state is None:
            return False
        self._state = state
        self.what = state.what
        return True
