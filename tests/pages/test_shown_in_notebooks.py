"""What a notebook shows of errors, problems and solutions, and while it waits."""

import threading

import pytest
from IPython.lib.pretty import pretty

import nqbench
from nqbench.campaign import progress
from nqbench.campaign.progress import Notebook
from nqbench.common import ticker
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting

FORMULA = "p cnf 3 3\n1 2 3 0\n-1 -2 0\n-3 0\n"


@pytest.fixture
def formula(tmp_path):
    path = tmp_path / "small.cnf"
    path.write_text(FORMULA)
    return path


@suggesting
def interrupted(problem):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: nqbench.solve(8, encoding="sequental"),
            "InputError: unknown encoding 'sequental': did you mean 'sequential'?",
        ),
        (
            lambda: nqbench.solve(8, encodings="sequential"),
            "TypeError: solve() has no argument 'encodings': did you mean 'encoding'?",
        ),
        (lambda: interrupted(8), "KeyboardInterrupt"),
    ],
)
def test_an_error_is_the_line_of_the_caller_and_the_message(call, message):
    with pytest.raises((InputError, TypeError, KeyboardInterrupt)) as caught:
        call()
    *frames, last = caught.value._render_traceback_()
    assert last == message
    assert all(frame.startswith("test_shown_in_notebooks.py, line ") for frame in frames)


def test_problems_and_solutions_in_a_list_are_named():
    board = nqbench.solve(4)
    assert pretty(nqbench.Queens(4)) == "<queens n=4>"
    assert pretty([board]) == "[<solution of queens n=4>]"
    assert pretty(board) == str(board)
    assert nqbench.use(4, backend="minisat22")._repr_html_().startswith("<img")


def test_all_solutions_are_pictures():
    boards = nqbench.solve_all(6)
    assert boards == sorted(boards, key=lambda board: board.queens)
    assert boards._repr_html_().count("<img") == len(boards) == 4
    assert type(boards)(boards * 7)._repr_html_().endswith("<div>and 4 more solutions</div>")


def test_a_path_is_a_formula_wherever_a_problem_is(formula):
    assert nqbench.solve(formula).literals in {(1, -2, -3), (-1, 2, -3)}
    assert nqbench.count(str(formula)) == len(nqbench.solve_all(formula)) == 2
    records = nqbench.run([formula], backends="minisat22", repeat=1)
    assert records["instance"].to_list() == ["small.cnf"]
    with pytest.raises(InputError, match="is a folder: solve takes one formula"):
        nqbench.solve(formula.parent)
    assert len(nqbench.formulas([formula, formula])) == 2


def test_results_say_when_nothing_is_recorded(tmp_path):
    assert repr(nqbench.Results(tmp_path / "nothing")).endswith("/nothing yet")
    assert "yet" not in repr(nqbench.Results(tmp_path))


def test_what_takes_long_is_shown_until_it_ends(monkeypatch):
    monkeypatch.setattr(ticker, "_SILENT_S", 0)
    shown, is_shown = [], threading.Event()

    class Recorded(Notebook):
        def show(self, state):
            shown.append(str(state))
            is_shown.set()

        def end(self):
            shown.append("end")

    with progress.shown_below_cell("certifying product", Recorded()):
        assert is_shown.wait(60)
    assert shown[0] == "certifying product, less than 1 s"
    assert shown[-1] == "end"
