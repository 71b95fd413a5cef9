"""The slots of a Dask worker, which execute runs of several threads on separate cores."""

import threading
from dataclasses import replace
from queue import SimpleQueue

from nqbench.addons.dask.claim import Claim
from nqbench.campaign.executors.slot import Slot, Stopped
from nqbench.common.machine import cpus
from nqbench.measure.cache import share_of_memory
from nqbench.measure.wire import Prepare, Ready
from nqbench.records.record import Record, Run


class Pool:
    """The slots of this process: one for each thread for which it can claim cores."""

    def __init__(self, threads: int, cpus_per_run: int) -> None:
        """Claim cores for up to `threads` slots; with `cpus_per_run` 0, do not claim or pin."""
        self.cpus_per_run = cpus_per_run
        self._claim = Claim(threads, cpus_per_run) if cpus_per_run else None
        places = self._claim.slots if self._claim else [[] for _ in range(threads)]
        self.size = len(places)
        self._idle: SimpleQueue[_Place] = SimpleQueue()
        # Other workers of this machine, as many as it has cores for, have shares of equal size.
        caches = max(self.size, len(cpus.physical_cores()) // max(1, cpus_per_run), 1)
        self._places = [_Place(place, share_of_memory(caches)) for place in places]
        for place in self._places:
            self._idle.put(place)
        self._lock = threading.Lock()
        self._busy: dict[str, Slot] = {}
        self._unwanted: set[str] = set()

    def ready(self, prepare: Prepare) -> Ready:
        """Prepare the next idle slot, and return its message on what it found."""
        place = self._idle.get()
        try:
            return place.prepared(prepare).ready
        finally:
            self._idle.put(place)

    def execute(self, key: str, run: Run, prepare: Prepare) -> tuple[Record, bytes | None]:
        """Measure the run on an idle slot, and return its record and its log, if it asks for that.
        Raises `Stopped` if `stop` is called with this key.
        """
        place = self._idle.get()
        try:
            slot = place.prepared(prepare)
            with self._lock:
                if key in self._unwanted:
                    raise Stopped
                self._busy[key] = slot
            slot.begin(run)
            return slot.finish(), slot.log
        except Stopped:
            place.close()
            raise
        finally:
            with self._lock:
                self._busy.pop(key, None)
                self._unwanted.discard(key)
            self._idle.put(place)

    def stop(self, key: str) -> None:
        """Kill the run with this key if it is in progress; otherwise never start it."""
        with self._lock:
            if key in self._busy:
                self._busy[key].stop()
            else:
                self._unwanted.add(key)

    def stop_all(self, campaign: str) -> None:
        """Kill the runs in progress whose keys begin with the name of this campaign."""
        with self._lock:
            for key, slot in self._busy.items():
                if key.startswith(campaign):
                    slot.stop()

    def aside(self, campaign: str) -> list[tuple[tuple[str, str, float], float]]:
        """What the slots do for this campaign besides running: the id of the run, what is done and
        how many seconds it may take; and how many have passed.
        """
        with self._lock:
            busy = [slot for key, slot in self._busy.items() if key.startswith(campaign)]
        return [step for slot in busy if (step := slot.step)]

    def close(self) -> None:
        """Kill all runs, end all servers and release the cores."""
        for place in self._places:
            place.close()
        if self._claim:
            self._claim.release()

    @property
    def is_idle(self) -> bool:
        """Whether no run is in progress."""
        return not self._busy


class _Place:
    """Cores, and the slot on them, which is started when it is needed."""

    def __init__(self, cpus: list[int], cache_bytes: int) -> None:
        self._cpus = cpus
        self._cache_bytes = cache_bytes
        self._slot: Slot | None = None

    def prepared(self, prepare: Prepare) -> Slot:
        """The slot, with a server that is prepared for these runs."""
        prepare = replace(prepare, cache_bytes=self._cache_bytes)
        if self._slot is None or self._slot.prepare != prepare:
            self.close()
            self._slot = Slot(prepare, self._cpus)
            self._slot.until_ready()
        return self._slot

    def close(self) -> None:
        if self._slot is not None:
            self._slot.close()
            self._slot = None
