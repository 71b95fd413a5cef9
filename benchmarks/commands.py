"""Commands of nqbench in a separate process, with their time and their peak memory."""

import re
import subprocess
import sys
import time
from dataclasses import dataclass

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
    """The seconds that a command took, its peak of memory in bytes, and what it printed."""

    seconds: float
    peak: int
    printed: str


def cost(*words):
    """Run a command and return its cost."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *map(str, words)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - started
    printed, _, status = done.stdout.rpartition("Name:")
    return Cost(seconds, 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]), printed)
