"""Shows again and again how long something takes, once that is a while."""

import threading
import time
from collections.abc import Callable
from typing import Final

_SILENT_S: Final = 0.6
"""How long a command or call may take without showing what it does."""


class Ticker:
    """Calls `show` with the seconds so far, in a thread, first after a while, or `silent_s`, and
    then each time `every_s` later.
    """

    def __init__(
        self, show: Callable[[float], None], every_s: float, silent_s: float | None = None
    ) -> None:
        self._show, self._every_s = show, every_s
        self._silent_s = _SILENT_S if silent_s is None else silent_s
        self._is_over = threading.Event()
        self._lock = threading.Lock()

    def start(self) -> None:
        """Count the seconds from now on."""
        threading.Thread(target=self._tick, args=(time.monotonic(),), daemon=True).start()

    def end(self) -> None:
        """Wait until nothing is being shown. Nothing is shown afterwards."""
        self._is_over.set()
        with self._lock:
            pass

    def _tick(self, started: float) -> None:
        wait_s = self._silent_s
        while not self._is_over.wait(wait_s):
            wait_s = self._every_s
            with self._lock:
                if not self._is_over.is_set():
                    self._show(time.monotonic() - started)
