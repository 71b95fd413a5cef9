"""Chooses the CPUs to pin runs to: each run has its own physical cores."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from nqbench.common.errors import InputError

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


def physical_cores() -> list[list[int]]:
    """The CPUs that this process may use, grouped by physical core, in ascending order.

    The CPUs of one core (SMT siblings) share its execution units, so two runs on the same core slow
    each other down.
    """
    cores: dict[frozenset[int], list[int]] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            siblings = parse_cpu_list(path.read_text())
        except OSError:
            siblings = [cpu]
        cores.setdefault(frozenset(siblings), []).append(cpu)
    return list(cores.values())


def quota() -> float | None:
    """The number of CPUs that the control group of a container may use; None if it may use all. Its
    processes are stopped for some time if they use more.
    """
    try:
        allowed, period = _QUOTA.read_text().split()
    except (OSError, ValueError):
        return None
    if allowed == "max" or float(allowed) / float(period) >= (os.cpu_count() or 1):
        return None
    return float(allowed) / float(period)


def assign(jobs: int, cpus_per_run: int) -> list[list[int]]:
    """The CPUs of each job: one on each of `cpus_per_run` cores.

    Raises `InputError` if there are not enough cores.
    """
    cores = physical_cores()
    if jobs * cpus_per_run > len(cores):
        raise InputError(
            f"{jobs} jobs of {cpus_per_run} CPUs need {jobs * cpus_per_run} cores, but there are "
            f"{len(cores)}: ask for fewer, or add `pin=False`"
        )
    # Start with the last core, since the first one serves most interrupts.
    firsts = [core[0] for core in reversed(cores)]
    return [sorted(firsts[job * cpus_per_run : (job + 1) * cpus_per_run]) for job in range(jobs)]


def parse_cpu_list(text: str) -> list[int]:
    """The numbers in a CPU list in the kernel's format.

    >>> parse_cpu_list("0-2,8")
    [0, 1, 2, 8]
    """
    numbers: list[int] = []
    for start, end in re.findall(r"(\d+)(?:-(\d+))?", text):
        numbers += range(int(start), int(end or start) + 1)
    return numbers


def cpu_list(cpus: Iterable[int]) -> str:
    """The CPUs separated by commas, in ascending order.

    >>> cpu_list([8, 1])
    '1,8'
    """
    return ",".join(map(str, sorted(cpus)))
