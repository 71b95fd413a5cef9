"""What a command shows on a terminal while it is silent otherwise."""

import io
import sys
import time

import pytest

from nqbench.cli.printing import waiting
from nqbench.common import ticker


class Terminal(io.StringIO):
    def isatty(self):
        return True


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(ticker, "_SILENT_S", 0.001)
    monkeypatch.setattr(waiting, "_EVERY_S", 0.001)


def test_a_terminal_shows_what_is_done_and_is_cleared_even_if_interrupted(monkeypatch, at_once):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())

    def interrupted():
        with waiting.shown_while_waiting("importing a.csv"):
            wait_for(lambda: "importing a.csv: 0 s" in terminal.getvalue())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    shown = terminal.getvalue()
    assert "importing a.csv: 0 s" in shown
    assert shown.endswith("\r\x1b[2K")


def test_a_pipe_gets_nothing(monkeypatch, at_once):
    monkeypatch.setattr(sys, "stderr", pipe := io.StringIO())
    with waiting.shown_while_waiting("importing a.csv"):
        time.sleep(0.02)
    assert pipe.getvalue() == ""


def test_a_pipe_gets_lines_of_what_is_watched(monkeypatch):
    monkeypatch.setattr(waiting, "_LINE_EVERY_S", 0.001)
    monkeypatch.setattr(sys, "stderr", pipe := io.StringIO())
    with waiting.shown_while_waiting("looking for the optimum") as line:
        line.watch("no value so far; a.opb: solving")
        wait_for(lambda: pipe.getvalue().count("\n") > 1)
        line.watch("best so far 3; a.opb: proving")
        wait_for(lambda: "best so far 3" in pipe.getvalue())
    assert pipe.getvalue().splitlines()[0] == "no value so far; a.opb: solving: 0 s"
    assert pipe.getvalue().splitlines()[-1] == "best so far 3; a.opb: proving: 0 s"
