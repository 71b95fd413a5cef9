"""Calls of `race`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["race"]

CALLS = {
    "race": (
        "race --n 4..6 --encoding pairwise,product --backend minisat22 --no-plots --results race",
        "leads with",
    ),
}
