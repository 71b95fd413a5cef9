"""Cores for the workers of one machine."""

import fcntl
import os
import tempfile
from pathlib import Path

from nqbench.common.machine.cpus import physical_cores


class Claim:
    """Cores that no other process of this user has claimed, for up to `most` slots.

    Workers on one machine share its cores in this way. Each core has a file that is locked
    during the claim, and the kernel unlocks it when the process dies.
    """

    def __init__(self, most: int, cpus_per_slot: int = 1) -> None:
        self._files: list[int] = []
        claimed: list[int] = []
        for core in reversed(physical_cores()):
            if len(claimed) == most * cpus_per_slot:
                break
            if self._lock(core[0]):
                claimed.append(core[0])
        starts = range(0, len(claimed) - cpus_per_slot + 1, cpus_per_slot)
        self.slots = [sorted(claimed[start : start + cpus_per_slot]) for start in starts]
        """The CPUs of each slot."""

    def release(self) -> None:
        """Release the cores."""
        for file in self._files:
            os.close(file)
        self._files.clear()

    def _lock(self, cpu: int) -> bool:
        path = Path(tempfile.gettempdir()) / f"nqbench-{os.getuid()}-cpu-{cpu}.lock"
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._files.append(file)
        return True
