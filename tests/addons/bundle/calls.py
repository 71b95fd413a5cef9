"""Calls of `bundle` and `replay`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["replay"]

CALLS = {
    "bundle": ("bundle out.zip --no-plots", "8 records, 8 of them can be measured again"),
    "replay": ("replay made.zip --sample 2", "Answers agree in all 2 runs."),
}


def prepare(_folder, nqbench):
    assert nqbench("bundle", "made.zip", "--no-plots").returncode == 0
