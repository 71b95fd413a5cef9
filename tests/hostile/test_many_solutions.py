"""Many solutions need little memory."""

import subprocess
import sys

STREAMED = """
import re
import resource
from nqbench.common.limits import Limits
from nqbench.problems.queens import Queens
from nqbench.measure.solutions import Solving
from nqbench.common.vocabulary import Task

solving = Solving.named(Queens(12), None, "cadical195", Task.ALL, Limits())
found = sum(1 for _ in solving.solutions())
# Not ru_maxrss of this process: it starts from the peak of the one that started it.
(here,) = re.findall(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(found, here, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_all_solutions_of_twelve_rows_pass_through_little_memory():
    """They are streamed between two processes, each with at most 300 MB."""
    done = subprocess.run(
        [sys.executable, "-c", STREAMED], capture_output=True, text=True, check=True
    )
    found, here, solver = map(int, done.stdout.split())
    assert found == 14200
    assert max(here, solver) < 300_000  # KiB
