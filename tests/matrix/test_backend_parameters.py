"""Every parameter of a backend has an effect, and an option that it rejects is an error."""

import contextlib
import subprocess
import sys
import time
from functools import cache, partial
from pathlib import Path

import msgspec
import pytest

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Form
from nqbench.encodings.base import Encoding
from nqbench.encodings.pairwise import Pairwise
from nqbench.isolate import processes
from nqbench.plugins import backend_names
from nqbench.plugins.availability import why_rejected
from nqbench.plugins.known_programs import PROGRAMS
from nqbench.plugins.parameters import Choice, Whole
from nqbench.plugins.programs import find
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens

BOARDS = (Queens(12), Queens(24))

OPTIONS = {
    "cadical": "opt.restartint=50",
    "cadical153": "opt.restartint=50",
    "cadical195": "opt.restartint=50",
    "cadical300": "opt.restartint=50",
    "clasp": "opt.heuristic=berkmin",
    "cp-sat": "opt.cp_model_presolve=false",
    "cp-sat-cover": "opt.cp_model_presolve=false",
    "cryptominisat": "opt.polar=false",
    "cryptominisat5": "opt.restart=luby",
    "ergo": "opt.var-decay=0.8",
    "glucose42": "opt.rnd-freq=0.5",
    "kissat": "opt.restartint=50",
    "minisat": "opt.rnd-freq=0.5",
}
"""An option with an effect, for every backend that passes options on."""

OWN = ("astar", "backtracking", "min-conflicts")
"""Searches of nqbench, whose parameters are tested with them."""


def installed():
    return [
        name
        for name in backend_names()
        if name not in OWN and (name not in PROGRAMS or find(name) is not None)
    ]


def searched(name, instance):
    """What a search shows of itself: its answer, counters and model."""
    solver = Backend.named(name).load(instance)
    answer = solver.solve()
    model = solver.model().tobytes() if answer is Answer.SAT else b""
    return [answer, msgspec.to_builtins(solver.counters()), model.hex()]


def shown(name, hard):
    """What the backend shows on some instances that it takes."""
    backend = Backend.named(name)
    encoding = Pairwise("pairwise")
    if backend.takes is not Form.CNF:
        encoding = Encoding.named(backend.default_encoding)
    some = [encoding.encode(board) for board in BOARDS]
    if backend.takes is Form.CNF:
        some.append(encoding.encode(Pigeonhole(8 if hard else 6)))
        # PicoSAT's phase decides nothing on the others.
        some.append(Encoding.named("order").encode(Queens(16)))
    return msgspec.json.encode([searched(name, instance) for instance in some])


@cache
def signature(name, hard=False):
    ending = isolate.call(partial(shown, name, hard), Limits(time_s=60))
    assert ending.payload, (name, ending)
    return ending.payload


def settings(parameter):
    """Values that differ from the default."""
    match parameter:
        case Choice(default, choices):
            return [choice for choice in choices if choice != default]
        case Whole(default):
            return [default + 1, default + 2, default + 11]


PARAMETERS = [
    (name, parameter)
    for name in installed()
    for parameter in Backend.named(name).parameters
    if parameter not in ("threads", "loading")
    # Decides something only if there is an objective.
    and (name, parameter) != ("rc2", "strata")
]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_a_parameter_changes_the_search(name, parameter):
    values = settings(Backend.named(name).parameters[parameter])
    # The seed of CaDiCaL decides something only after many conflicts.
    hard = parameter == "seed"
    usual = signature(name, hard)
    assert any(signature(f"{name}:{parameter}={value}", hard) != usual for value in values)


@pytest.mark.parametrize("name", [n for n in installed() if Backend.named(n).passes_options])
def test_an_option_changes_the_search(name):
    assert signature(f"{name}:{OPTIONS[name]}") != signature(name)


@pytest.mark.parametrize("name", [n for n in installed() if Backend.named(n).passes_options])
def test_an_option_that_the_solver_does_not_have_is_rejected(name):
    assert why_rejected(Backend.named, f"{name}:{OPTIONS[name]}") is None
    reason = why_rejected(Backend.named, f"{name}:opt.nosuch=1")
    # The program's own words, besides the name of the backend.
    assert "nosuch" in reason.replace(f"{name}:opt.nosuch=1", "")


@pytest.mark.parametrize(
    "option",
    ["cadical195:opt.phase=7", "cadical195:opt.restartint", "ergo:opt.restart-policy=x",
     "glucose42:opt.rnd-seed=-1", "cp-sat:opt.cp_model_presolve=7.5", "cryptominisat:opt.polar=x"],
)  # fmt: skip
def test_a_value_that_the_solver_would_ignore_or_die_of_is_rejected(option):
    name = option.partition("opt.")[2].partition("=")[0]
    assert why_rejected(Backend.named, option), name


def test_options_are_written_in_one_order():
    spelled = [
        Backend.named(f"cadical195:opt.restartint=50:{rest}").name
        for rest in ("phase=false:opt.elim=false:seed=0", "opt.elim=false:phase=false")
    ]
    assert set(spelled) == {"cadical195:phase=false:opt.elim=false:opt.restartint=50"}


@pytest.mark.parametrize("name", ["minisat22:opt.luby=false", "pyeda:opt.x=1", "cadical195:opt.=1"])
def test_an_option_is_an_error_where_none_can_be_passed_on(name):
    with pytest.raises(InputError, match=r"unknown parameter 'opt|is not an option"):
        Backend.named(name)


def test_bounded_variable_addition_adds_variables_and_keeps_the_models():
    """PySAT's own way to read a model would end the process."""
    board = Pairwise("pairwise").encode(Queens(20))
    ending = isolate.call(partial(grown, board), Limits(time_s=60))
    assert msgspec.json.decode(ending.payload) == [True, 400, True]


def grown(board: CNF):
    backend = Backend.named("cadical300:bva=true")
    oracle = backend._oracle(board)
    oracle.solve()
    solver = backend.load(board)
    solver.solve()
    model = solver.model()
    is_model = board.falsified(model) is None
    return msgspec.json.encode([oracle.nof_vars() > 400, len(model), is_model])


HARD = """
import sys
from nqbench.backends.base import Backend
from nqbench.encodings.base import Encoding
from nqbench.problems.families.pigeonhole import Pigeonhole
backend = Backend.named(sys.argv[1])
encoding = Encoding.named(backend.default_encoding or "pairwise")
problem = Pigeonhole(12)
if encoding.makes != "cnf":
    from nqbench.problems.queens import Queens
    problem = Queens(120)
solver = backend.load(encoding.encode(problem))
print("loaded", flush=True)
while True:
    solver.solve()
"""


def threads_of(pid):
    """The threads of a process and of those that it started."""
    tasks = (Path(f"/proc/{each}/task") for each in processes.with_descendants(pid))
    return sum(len(list(folder.iterdir())) for folder in tasks)


def most_threads(name, enough):
    """The most threads seen while the backend solves: in two minutes, or until there are enough."""
    command = [sys.executable, "-c", HARD, name]
    seen, end = 0, time.monotonic() + 120
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        while seen < enough and time.monotonic() < end:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                seen = max(seen, threads_of(process.pid))
            time.sleep(0.01)
        processes.kill_tree(process.pid)
    return seen


@pytest.mark.parametrize(
    "name", [n for n in installed() if "threads" in Backend.named(n).parameters]
)
def test_threads_are_started(name):
    alone = most_threads(name, enough=1)
    assert most_threads(f"{name}:threads=4", enough=alone + 3) >= alone + 3
