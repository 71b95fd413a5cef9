"""Commands of nqbench in a separate process, with their time and their peak memory."""

import contextlib
import io
import re
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

from nqbench.cli.app import app

# The peak of a child that its parent reads may be the parent's, from before the exec, so the
# child has to report it.
COMMAND = """
import sys
from nqbench.cli.app import app
app.main(sys.argv[1:], standalone_mode=False)
print(open("/proc/self/status").read())
"""


@dataclass
class Cost:
    """The seconds that a command took, those of CPU that it and its processes used, its own peak of
    memory in bytes, and what it printed.
    """

    seconds: float
    cpu_s: float
    peak: int
    printed: str


def cost(*words):
    """Run a command and return its cost."""
    started, before_s = time.perf_counter(), _cpu_s()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, words)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds, cpu_s = time.perf_counter() - started, _cpu_s() - before_s
    printed, _, status = done.stdout.rpartition("Name:")
    peak = 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
    return Cost(seconds, cpu_s, peak, printed)


def uncosted(*words):
    """Run a command in this process, to see that it works; its cost means nothing."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        app.main([*map(str, words)], standalone_mode=False)
    return Cost(0.0, 0.0, 0, printed.getvalue())


def _cpu_s():
    """The CPU time of all processes that this one has waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
