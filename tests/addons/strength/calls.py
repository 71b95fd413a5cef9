"""`strength` has no command: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["strength"]

CALLS = {}
