"""Calls of `shrink`, from end to end: see `tests/commands/test_each_command.py`."""

from pathlib import Path

FUNCTIONS = ["shrink"]

CALLS = {
    "shrink": (
        "shrink fault.cnf --backend ./planted_faults.py:ModelIsAllTrue --output shrunk",
        "1 clause",
    )
}


def prepare(folder, _nqbench):
    """A formula and a solver that is wrong about it."""
    faults = Path(__file__).with_name("faults")
    for name in ("planted_faults.py", "planted_solvers.py"):
        folder.joinpath(name).write_text((faults / name).read_text())
    folder.joinpath("fault.cnf").write_text("p cnf 3 3\n-1 -2 0\n1 -2 0\n-2 3 0\n")
