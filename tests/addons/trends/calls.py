"""Calls of `trends`, from end to end: see `tests/commands/test_each_command.py`."""

FUNCTIONS = ["trends"]

CALLS = {
    "trends": ("trends results other --output trends.html", "4 lines over 2 sources"),
}
