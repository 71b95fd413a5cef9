"""Calls of `grade`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["grade"]

CALLS = {
    "grade": ("grade handed-in --n 9 --shuffles 0 --results graded", "1 certified"),
}


def prepare(folder, _nqbench):
    (folder / "handed-in").mkdir()
    (folder / "handed-in" / "ann-9.cnf").write_bytes((folder / "q9.cnf").read_bytes())
