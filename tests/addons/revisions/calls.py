"""Calls of `bisect`, from end to end: see `tests/commands/test_each_command.py`."""

from solver_history import RECIPE, History

FUNCTIONS = ["bisect"]

CALLS = {
    "bisect": (
        "bisect HEAD~1 HEAD --backend git:solver --by answer --n 6 --results bisected",
        "The first bad commit",
    ),
}


def prepare(folder, _nqbench):
    History(folder / "solver", commits=2, planted={"answer": 2})
    (folder / "nqbench-build.toml").write_text(RECIPE)
