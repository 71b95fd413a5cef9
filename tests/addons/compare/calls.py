"""Calls of `compare`, from end to end: see `tests/commands/test_each_command.py`."""

CALLS = {"compare": ("compare results other", "ratio")}
