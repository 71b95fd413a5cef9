"""Calls of what the add-on declares: see `tests/commands/test_each_command.py`. It has no command."""

FUNCTIONS = ["record"]

CALLS: dict[str, tuple[str, str]] = {}
