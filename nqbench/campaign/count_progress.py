"""Shows how far a count is, and stops it at a time limit."""

import time
from typing import Final

from nqbench.campaign.progress import Progress, State
from nqbench.common.errors import SolverError
from nqbench.common.units import counted

_FIRST_AFTER_S: Final = 1.5
"""Most counts take less: they show nothing."""


class CountProgress:
    """Counts solutions as they are found. `display` shows how many, None for nowhere; `limit_s` is
    the time that the count may take, None for any.
    """

    def __init__(
        self, display: Progress | None, limit_s: float | None = None, noun: str = "solution"
    ) -> None:
        self._display = display
        self._limit_s = limit_s
        self._noun = noun
        self._started = time.monotonic()
        self._is_shown = False
        self._solutions = self._partial = self._done = 0
        self._total = 1

    def split(self, parts: int) -> None:
        """Note that the problem has so many parts."""
        self._total = parts

    def end_part(self) -> None:
        """Note that one part has ended."""
        self._done += 1
        self._show()

    def update(self, solutions: int) -> None:
        """Note how many solutions were found so far."""
        self._solutions = solutions
        self._show()

    def look(self, partial: int) -> None:
        """Note that so many more partial solutions were looked at. Raises `SolverError` at the time
        limit.
        """
        self._partial += partial
        if self._limit_s is not None and self._elapsed_s > self._limit_s:
            so_far = counted(self._solutions, self._noun)
            raise SolverError(f"stopped at the time limit of {self._limit_s:g} s: {so_far} so far")
        self._show()

    def end(self) -> None:
        """Show nothing more."""
        if self._display and self._is_shown:
            self._display.end()

    @property
    def _elapsed_s(self) -> float:
        return time.monotonic() - self._started

    def _show(self) -> None:
        if self._display is None or self._elapsed_s < _FIRST_AFTER_S:
            return
        is_first, self._is_shown = not self._is_shown, True
        if is_first:
            self._display.begin(self._total)
        self._display.update(self._done, self._state, always=is_first)

    def _state(self) -> State:
        looked_at = f" in {self._partial:,} partial solutions" if self._partial else ""
        found = f"{self._solutions:,} {self._noun}s so far{looked_at}"
        return State(self._done, self._total, found, f"{found}, {self._elapsed_s:.0f} s")
