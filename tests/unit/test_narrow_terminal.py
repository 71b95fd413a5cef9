"""What a narrow terminal shows of the progress: the bar, how many have ended, and what is left."""

import io
import re

import pytest
from rich.console import Console

from nqbench.campaign.counting import CountProgress
from nqbench.campaign.progress import Bar, State, time_left
from nqbench.cli.printing.sentences import echo_status

TEXTS = {
    "outcomes": f"{time_left(240, False)}, 70 finished, 6 timeout  n=24 pairwise x pyeda",
    "budget": f"{time_left(9000, False, 240)}, 70 finished  n=24 product x a",
}


def last_line(width, show):
    """What a bar leaves on a terminal of that width."""
    terminal = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="256")
    bar = Bar(terminal)
    show(bar)
    bar.end()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.file.getvalue())
    return next(line for line in reversed(re.split(r"[\r\n]+", plain)) if line.strip())


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("state", TEXTS)
def test_the_bar_the_count_and_the_time_left_are_in_any_window(width, state):
    def show(bar):
        bar.begin(492)
        bar.update(76, lambda: State(76, 492, TEXTS[state]), always=True)

    line = last_line(width, show)
    assert len(line) <= width
    assert line.count("━") + line.count("╸") + line.count("╺") >= 4
    left = {"outcomes": "about 4 min left", "budget": "the budget ends in 4 min"}[state]
    assert f"76/492 {left}" in line
    assert ("0:00:00" in line) is (width >= 80)


def test_a_count_is_in_a_narrow_window():
    def show(bar):
        progress = CountProgress(bar)
        progress._started -= 60
        progress.split(15)
        progress.update(1234567)

    assert "0/15 1,234,567 solutions" in last_line(40, show)


def test_a_status_line_is_broken_between_words_on_a_terminal_only(monkeypatch, capsys):
    line = "nqbench: left out: encoding 'native' makes a cnf+: none of the backends takes it"
    echo_status(line)
    assert capsys.readouterr().err == f"{line}\n"
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    echo_status(line)
    shown = capsys.readouterr().err
    assert max(map(len, shown.splitlines())) <= 40
    assert shown.split() == line.split()
    echo_status(f"`{line}`")
    assert capsys.readouterr().err == f"`{line}`\n"
