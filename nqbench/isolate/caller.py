"""Calls in processes of their own for one who must be told of each."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from nqbench.isolate.fork import call
from nqbench.isolate.supervise import Ending
from nqbench.limits import Limits


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls that end when `stop_fd` is readable, and has `tell` say before each what is done
    and how many seconds it may take.
    """

    stop_fd: int | None = None
    tell: Callable[[str, float], Any] = lambda _doing, _limit_s: None

    def call(
        self,
        doing: str,
        function: Callable[[], bytes],
        limits: Limits,
        keep: Collection[int] = (),
    ) -> Ending:
        """See `isolate.call`."""
        self.tell(doing, limits.time_s)
        return call(function, limits, self.stop_fd, keep)
