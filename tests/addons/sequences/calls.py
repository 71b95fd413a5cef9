"""Calls of the add-on, which has no command: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["record"]

CALLS: dict[str, tuple[str, str]] = {}
