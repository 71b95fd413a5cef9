"""Calls in separate processes, each announced before it starts."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from nqbench.common.limits import Limits
from nqbench.isolate.fork import call
from nqbench.isolate.pages import Pages
from nqbench.isolate.phases import Phases
from nqbench.isolate.supervise import Ending


@dataclass(frozen=True, slots=True)
class Isolation:
    """Makes calls that are stopped when `stop_fd` is readable, and wait for their `turn` if there
    is one. Before each call, `tell` receives what is being done and how many seconds it may take.
    """

    stop_fd: int | None = None
    tell: Callable[[str, float], Any] = lambda _doing, _limit_s: None
    turn: int | None = None

    def call(
        self,
        doing: str,
        function: Callable[[], bytes],
        limits: Limits,
        keep: Collection[int] = (),
        *,
        pages: Pages | None = None,
        phases: Phases | None = None,
    ) -> Ending:
        """See `isolate.call`."""
        self.tell(doing, limits.longest_s)
        return call(function, limits, self.stop_fd, keep, self.turn, pages=pages, phases=phases)
