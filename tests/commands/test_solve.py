"""`solve`, `count`, and the list of working components, as users see them."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest
from places import CSPLIB
from programs import needs

from nqbench.problems.queens import Queens
from nqbench.testing import solutions

SOLVABLE = CSPLIB / "diag-8-4-19.param"
HOPELESS = CSPLIB / "diag-8-4-1.param"


def board(text):
    """The squares of the queens in a drawing of any style except algebraic."""
    lines = text.replace(" ", "").splitlines()
    return tuple((r, c) for r, line in enumerate(lines) for c, s in enumerate(line) if s in "♛Q1")


@pytest.mark.parametrize("style", ["unicode", "ascii", "binary"])
@pytest.mark.parametrize("backend", ["cadical195", "backtracking", "cp-sat", "construction"])
def test_a_solution_is_drawn(nqbench, backend, style):
    shown = nqbench("solve", "--n", 8, "--backend", backend, "--style", style)
    assert shown.returncode == 0, shown.stderr
    assert Queens(8).violation(board(shown.stdout)) is None
    assert shown.stderr == ""


def test_the_first_solution_of_backtracking_is_the_known_one(nqbench):
    shown = nqbench("solve", "--n", 8, "--backend", "backtracking", "--style", "algebraic")
    columns = [1, 5, 8, 6, 3, 7, 2, 4]
    expected = {f"{'abcdefgh'[column - 1]}{8 - row}" for row, column in enumerate(columns)}
    assert set(shown.stdout.split()) == expected


@pytest.mark.parametrize("backend", ["minisat22", "pyeda", "constraint2"])
def test_all_solutions_are_drawn_each_once(nqbench, backend):
    shown = nqbench("solve", "--n", 6, "--all", "--backend", backend, "--style", "ascii")
    drawn = [board(picture) for picture in shown.stdout.strip().split("\n\n")]
    assert sorted(drawn) == sorted(solutions(Queens(6)))
    assert shown.stderr.strip() == "4 solutions: verified by oracle"


def test_of_the_92_solutions_12_are_fundamental(nqbench):
    shown = nqbench("solve", "--n", 8, "--fundamental", "--style", "algebraic")
    assert len(shown.stdout.splitlines()) == 12
    assert "12 of 92 solutions: verified by oracle" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "checked_by"),
    [
        (["--n", 3, "--backend", "cadical195"], "theorem"),
        (["--n", 3, "--backend", "minisat22"], "theorem"),
        (["--n", 3, "--backend", "lingeling", "--encoding", "level2"], "theorem"),
        pytest.param(
            ["--n", 2, "--all", "--backend", "cadical"], "theorem", marks=needs("cadical")
        ),
        (["--board", HOPELESS, "--diagonals", 8, "--backend", "glucose4"], "oracle"),
        (["--board", HOPELESS, "--diagonals", 8, "--backend", "backtracking"], "oracle"),
    ],
)
def test_unsatisfiable_is_said_with_what_it_rests_on(nqbench, arguments, checked_by):
    shown = nqbench("solve", *arguments)
    assert (shown.returncode, shown.stdout) == (0, "unsatisfiable\n"), shown.stderr
    assert f"verified by {checked_by}" in shown.stderr


def test_a_solver_that_gives_up_says_unknown(nqbench):
    shown = nqbench("solve", "--n", 3, "--backend", "min-conflicts")
    assert (shown.returncode, shown.stdout) == (0, "unknown\n")


def test_a_board_of_csplib_is_solved_around_its_blocked_squares(nqbench):
    shown = nqbench("solve", "--board", SOLVABLE, "--diagonals", 8, "--style", "ascii")
    assert shown.returncode == 0
    assert "#" in shown.stdout
    assert Queens(8).violation(board(shown.stdout)) is None


def test_a_start_position_is_completed(nqbench, tmp_path):
    (tmp_path / "start.txt").write_text("....\n...Q\n....\n....\n")
    shown = nqbench("solve", "--board", "start.txt", "--style", "binary")
    assert shown.stdout.split() == ["0100", "0001", "1000", "0010"]
    assert nqbench("count", "--board", "start.txt").stdout == "1\n"


@pytest.mark.parametrize(
    ("arguments", "number"),
    [
        (["--n", 12], 14200),
        (["--n", 12, "--fundamental"], 1787),
        (["--n", 3], 0),
        (["--n", 11, "--family", "torus"], 88),
        (["--n", 7, "--family", "torus", "--backend", "minisat22"], 28),
        (["--n", 8, "--backend", "pyeda"], 92),
        (["--n", 8, "--backend", "cryptominisat", "--encoding", "product"], 92),
        (["--n", 8, "--backend", "backtracking", "--fundamental"], 12),
        (["--board", SOLVABLE, "--diagonals", 8], 2),
    ],
)
def test_count_says_the_number_alone(nqbench, arguments, number):
    counted = nqbench("count", *arguments)
    assert (counted.returncode, counted.stdout) == (0, f"{number}\n"), counted.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve"], "give one problem: either --n 8 or --file FILE"),
        (["solve", "--n", 8, "--board", "x"], "--n and --file are two problems"),
        (["solve", "--n", 8, "--seed", 3], "family 'queens' is not random: leave out --seed"),
        (["count", "--n", 8, "--seed", 0], "family 'queens' is not random: leave out --seed"),
        (
            ["solve", "--board", HOPELESS, "--family", "torus"],
            "--family does not apply to a board in a file",
        ),
        (["solve", "--n", 8, "--diagonals", 3], "--diagonals needs a CSPLib instance"),
        (["solve", "--board", "nothing.txt"], "cannot read nothing.txt: No such file"),
        (["solve", "--board", HOPELESS, "--diagonals", 99], "99 diagonals were asked for"),
        (["solve", "--n", 8, "--backend", "glucos4"], "did you mean 'glucose4'?"),
        (["solve", "--n", 8, "--backend", "exe:/no/such"], "no program '/no/such'"),
        (["solve", "--n", 8, "--encoding", "csp"], "backend 'cadical195' cannot solve instances"),
        (["solve", "--n", 8, "--all", "--backend", "construction"], "cannot enumerate"),
        (
            ["solve", "--n", 8, "--all", "--encoding", "pairwise:symmetry=half"],
            "leaves out solutions",
        ),
        (["solve", "--n", 8, "--style", "oil"], "'oil' is unknown: choose from unicode"),
        (["count", "--n", 40], "the exhaustive count goes up to 31"),
        (["count", "--n", 8, "--ganak", "--fundamental"], "--ganak cannot be combined with"),
        (["run", "--n", 8, "--encoding", "csp"], "takes a cnf: none of the encodings csp"),
        (
            ["run", "--n", 8, "--encoding", "csp,pairwise", "--backend", "pyeda"],
            "encoding 'csp' makes a csp: none of the backends pyeda takes it",
        ),
        (["run", "--n", 8, "--task", "all", "--backend", "construction"], "cannot enumerate"),
        (["encode", "--n", 8, "--encoding", "csp"], "makes a csp, not clauses"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(nqbench, tmp_path, arguments, message):
    said = nqbench(*arguments)
    assert said.returncode == 2
    (line,) = said.stderr.splitlines()
    assert message in line
    assert said.stdout == ""
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--backend", "faulty-liar-sat"],
            "returned a wrong solution: queens on (0, 0) and (0, 1)",
        ),
        (["--backend", "faulty-liar-unsat"], "queens n=6 has a solution"),
        (["--backend", "faulty-aborts"], "SIGABRT"),
        (["--backend", "faulty-sleeps", "--time-limit", "300ms"], "time limit of 0.3 s"),
        (["--backend", "faulty-skips", "--all"], "3 solutions, but queens n=6 has 4"),
    ],
)
def test_a_solver_that_fails_is_named_with_status_1(nqbench, arguments, message):
    said = nqbench("solve", "--n", 6, *arguments)
    assert said.returncode == 1
    assert message in said.stderr.splitlines()[-1]


STREAMED = """
import re
import resource
from nqbench.limits import Limits
from nqbench.problems.queens import Queens
from nqbench.solutions import Solving
from nqbench.vocabulary import Task

solving = Solving.named(Queens(12), None, "cadical195", Task.ALL, Limits())
found = sum(1 for _ in solving.solutions())
# Not ru_maxrss of this process: it starts from the peak of the one that started it.
(here,) = re.findall(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(found, here, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_a_count_that_is_not_complete_is_not_printed(nqbench):
    said = nqbench("count", "--n", 6, "--backend", "faulty-gives-up")
    assert (said.returncode, said.stdout) == (1, "")
    assert "faulty-gives-up gave up after 1 solutions" in said.stderr


def test_all_solutions_of_twelve_rows_pass_through_little_memory():
    """They are streamed between two processes, each with at most 300 MB."""
    done = subprocess.run(
        [sys.executable, "-c", STREAMED], capture_output=True, text=True, check=True
    )
    found, here, solver = map(int, done.stdout.split())
    assert found == 14200
    assert max(here, solver) < 300_000  # KiB


@pytest.fixture(scope="session")
def ganak(tmp_path_factory):
    """Ganak in a separate folder, since its wheel would overwrite the module of pycryptosat."""
    folder = tmp_path_factory.mktemp("ganak")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder]
    done = subprocess.run([*command, "pyganak"], capture_output=True, text=True)
    if "No matching distribution found" in done.stderr:
        pytest.skip(f"no wheel of pyganak for Python {sys.version_info[0]}.{sys.version_info[1]}")
    assert done.returncode == 0, done.stderr
    return folder


def with_ganak(ganak, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "nqbench", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(ganak)},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize("encoding", ["pairwise", "product", "sorting-network", "order", "log"])
def test_ganak_counts_the_models_of_the_board(ganak, encoding):
    counted = with_ganak(ganak, "count", "--n", 7, "--ganak", "--encoding", encoding)
    assert counted.stdout == "40\n", counted.stderr


def test_ganak_is_not_asked_for_what_is_not_a_count_of_solutions(ganak):
    for encoding in ("level2", "pairwise:symmetry=half"):
        said = with_ganak(ganak, "count", "--n", 6, "--ganak", "--encoding", encoding)
        assert said.returncode == 2
        assert "are not exactly the solutions" in said.stderr


def test_the_doctor_sees_a_module_that_another_wheel_has_replaced(ganak):
    found = {f["subject"]: f for f in json.loads(with_ganak(ganak, "doctor", "--json").stdout)}
    assert found["pycryptosat of pycryptosat"]["level"] == "warning"


def test_without_ganak_it_is_said_what_would_install_it(nqbench):
    assert importlib.util.find_spec("pyganak") is None
    said = nqbench("count", "--n", 6, "--ganak")
    assert (said.returncode, said.stdout) == (2, "")
    assert "pip install 'nqbench[ganak]'" in said.stderr


def test_the_doctor_says_what_works_and_what_spoils_timings(nqbench):
    asked = nqbench("doctor", "--json")
    found = {f["subject"]: f for f in json.loads(asked.stdout)}
    assert asked.returncode == 0
    assert found["python"]["level"] == "good", found["python"]
    assert {"harness", "machine", "backends", "proofs", "load", "frequency", "swap"} <= set(found)
    assert "no_such_module" in found["faulty-missing"]["message"]
    assert not any(" of " in subject for subject in found)


def test_backends_are_listed_with_what_they_can_do(nqbench):
    listed = {b["name"]: b for b in json.loads(nqbench("list", "backends", "--json").stdout)}
    glucose = listed["glucose4"]
    assert glucose["available"]
    assert glucose["version"].startswith("python-sat 1.9")
    assert glucose["takes"] == "cnf"
    assert glucose["capabilities"]["proof"]
    assert listed["minisat22"]["available"]
    assert listed["backtracking"]["takes"] == "csp"
    assert not listed["min-conflicts"]["capabilities"]["complete"]
    missing = listed["faulty-missing"]
    assert not missing["available"]
    assert missing["reason"].endswith("pip install no-such-distribution")
    assert "works" in nqbench("list", "backends").stdout


def test_all_backends_are_those_that_work_and_the_others_are_named(tmp_path):
    """Half of the solvers are hidden by an empty PATH and an environment without extras."""
    hidden = "ortools", "constraint", "pycosat", "pycryptosat"
    hide = tmp_path / "sitecustomize.py"
    hide.write_text(f"import sys\nsys.modules |= dict.fromkeys({hidden!r})\n")
    command = ["run", "--n", "4", "--backend", "all", "--repeat", "1", "--no-plots"]
    said = subprocess.run(
        [sys.executable, "-m", "nqbench", *command],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert said.returncode == 0, said.stderr
    left_out = {
        line.split()[3].rstrip(":") for line in said.stderr.splitlines() if "left out" in line
    }
    assert left_out >= {"cp-sat", "constraint2", "pycosat", "cryptominisat", "minisat", "cadical"}
    rows = [line.split() for line in said.stdout.splitlines() if "1/1" in line or "0/1" in line]
    solved = {backend: share for _, backend, share, *_ in rows}
    assert not left_out & set(solved)
    assert {"glucose4", "pyeda", "backtracking", "construction"} <= set(solved)
    assert set(solved.values()) == {"1/1"}
