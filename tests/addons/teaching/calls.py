"""Calls of `watch`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["watch"]

CALLS = {"watch": ("watch --n 4", "♛")}
