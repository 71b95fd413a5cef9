"""Calls of `certify`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["certify", "certify_formula"]

CALLS = {"certify": ("certify product --n 4", "certified")}
