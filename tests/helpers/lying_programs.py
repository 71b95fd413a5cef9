"""Programs that answer wrongly, and runs of them."""

import sys

from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.common.limits import Limits


def measured(backend, problem, time_s=10.0, checking=None, **options):
    runs = Campaign(
        problems=[problem],
        encodings=["pairwise"],
        backends=[backend],
        repeat=1,
        limits=Limits(time_s=time_s),
        **options,
    ).runs()
    (record,) = runner.measured(runs, checking=checking)
    return record


PROGRAMS = {
    "contradicts itself": "print('s SATISFIABLE'); print('v 1 0'); sys.exit(20)",
    "says nothing": "sys.exit(10)",
    "lies": "print('s SATISFIABLE'); print('v 1 2 0'); sys.exit(10)",
    "denies": "print('s UNSATISFIABLE'); sys.exit(20)",
    "gives no model": "print('s SATISFIABLE'); sys.exit(10)",
    "prints a gigabyte": """
for _ in range(1024):
    os.write(1, b'c nothing to see\\n' * 65536)
""",
    "hangs with a grandchild": """
if os.fork() == 0:
    open(sys.argv[0] + '.grandchild', 'w').write(str(os.getpid()))
    time.sleep(600)
time.sleep(600)
""",
}


# It answers the probe, whose formula has two clauses, correctly.
PROLOGUE = """#!{python}
import os, sys, time
if ' 2 2' in open(sys.argv[1]).readline():
    print('s SATISFIABLE'); print('v 1 2 0'); sys.exit(10)
"""


def lying_program(folder, name):
    """The path of a program that lies in this way."""
    path = folder / "solver"
    path.write_text(PROLOGUE.format(python=sys.executable) + PROGRAMS[name])
    path.chmod(0o755)
    return path
