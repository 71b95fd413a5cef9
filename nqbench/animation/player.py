"""What the buttons of a window do, without the window."""

import time
from collections.abc import Iterator
from pathlib import Path

from nqbench.animation.steps import Moment, Watched
from nqbench.backends.base import StepKind
from nqbench.drawing.board import Board
from nqbench.problems import board_files
from nqbench.problems.base import Problem


class Player:
    """A board, and a search on it that goes on when asked to.

    `what` says in words what is to be seen.
    """

    def __init__(self, problem: Problem, encoding: str | None, backend: str) -> None:
        self._encoding = encoding
        self._backend = backend
        self.take(problem)

    @property
    def board(self) -> Board:
        """What is to be seen."""
        if self._moment is None:
            return Board(self.problem, attacked=self._previews)
        return self._moment.board(self.problem)

    def choose(self, path: Path) -> None:
        """Take the board of a file. Raises `InputError`, and keeps the board that was there."""
        self.take(board_files.read(path))

    def take(self, problem: Problem) -> None:
        """Begin anew with this board. Raises `InputError` if the search is not for it."""
        watched = Watched.named(problem, self._encoding, self._backend)
        self.problem = problem
        self._watched = watched
        self._restart(f"{problem}")

    def preview(self) -> None:
        """Go back to the start, and mark what the placed queens attack."""
        queens = len(self.problem.placed)
        self._restart(f"{self.problem}: {queens} queens placed, attacked squares marked")
        self._previews = True

    def step(self) -> bool:
        """Take one step; False if the search is over."""
        moment = next(self._moments, None)
        if moment is None:
            self.what = f"{self._solutions or 'no'} solutions: the search is over"
            return False
        self._show(moment)
        return True

    def run(self, steps: int, seconds: float) -> bool:
        """Take so many steps, fewer if the time is up; False at a solution or the end."""
        deadline = time.monotonic() + seconds
        for _ in range(steps):
            if not self.step():
                return False
            if self._moment and self._moment.kind is StepKind.SOLUTION:
                return False
            if time.monotonic() > deadline:
                break
        return True

    def _restart(self, what: str) -> None:
        self._moments: Iterator[Moment] = self._watched.moments()
        self._moment: Moment | None = None
        self._previews = False
        self._solutions = 0
        self.what = what

    def _show(self, moment: Moment) -> None:
        self._moment = moment
        self._solutions += moment.kind is StepKind.SOLUTION
        self.what = str(moment)
