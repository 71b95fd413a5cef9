"""Every parameter of a backend has an effect, and an option that it rejects is an error."""

import contextlib
import subprocess
import sys
import time
from functools import partial
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


def instances(backend):
    """What it is compared on, until something differs."""
    encoding = Pairwise("pairwise")
    if backend.takes is not Form.CNF:
        encoding = Encoding.named(backend.default_encoding)
    yield from map(encoding.encode, BOARDS)
    if backend.takes is Form.CNF:
        # PicoSAT's phase decides nothing on the others.
        yield Encoding.named("order").encode(Queens(16))
        # The seed of CaDiCaL decides something only after many conflicts.
        yield encoding.encode(Pigeonhole(8 if backend.name.startswith("cadical") else 6))


def is_other_search(name, setting):
    return any(
        searched(f"{name}:{setting}", instance) != searched(name, instance)
        for instance in instances(Backend.named(name))
    )


def settings(parameter):
    """Values that differ from the default."""
    match parameter:
        case Choice(default, choices):
            return [choice for choice in choices if choice != default]
        case Whole(default):
            return [default + 1, default + 2, default + 11]


def parameters_of(name):
    """Values to try of each parameter that decides something without an objective."""
    parameters = Backend.named(name).parameters
    left_out = {"threads", "loading"} | ({"strata"} if name == "rc2" else set())
    return {each: settings(parameters[each]) for each in parameters if each not in left_out}


def without_effect(name):
    """The parameters and options that change nothing of what a search shows."""
    tried = {each: [f"{each}={v}" for v in values] for each, values in parameters_of(name).items()}
    if Backend.named(name).passes_options:
        tried["opt."] = [OPTIONS[name]]
    return [
        each
        for each, changes in tried.items()
        if not any(is_other_search(name, change) for change in changes)
    ]


@pytest.mark.parametrize(
    "name", [n for n in installed() if parameters_of(n) or Backend.named(n).passes_options]
)
def test_each_parameter_and_an_option_change_the_search(name):
    ending = isolate.call(lambda: msgspec.json.encode(without_effect(name)), Limits(time_s=300))
    assert ending.payload == b"[]", ending


@pytest.mark.parametrize("name", [n for n in installed() if Backend.named(n).passes_options])
def test_an_option_that_the_solver_does_not_have_is_rejected(name):
    reason = why_rejected(Backend.named, f"{name}:opt.nosuch=1")
    # The program's own words, besides the name of the backend.
    assert "nosuch" in reason.replace(f"{name}:opt.nosuch=1", "")


@pytest.mark.parametrize("name", ["cadical", "cadical195", "cp-sat"])
def test_an_option_that_the_solver_has_is_not_rejected(name):
    assert why_rejected(Backend.named, f"{name}:{OPTIONS[name]}") is None


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
sys.stdin.readline()
while True:
    solver.solve()
"""


def threads_of(pid):
    """The threads of a process and of those that it started."""
    tasks = (Path(f"/proc/{each}/task") for each in processes.with_descendants(pid))
    return sum(len(list(folder.iterdir())) for folder in tasks)


@pytest.mark.parametrize(
    "name", [n for n in installed() if "threads" in Backend.named(n).parameters]
)
def test_threads_are_started(name):
    """While it solves, there are at least three more: in two minutes."""
    command = [sys.executable, "-c", HARD, f"{name}:threads=4"]
    end = time.monotonic() + 120
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        seen = before = threads_of(process.pid)
        process.stdin.write(b"\n")
        process.stdin.flush()
        while seen < before + 3 and time.monotonic() < end:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                seen = max(seen, threads_of(process.pid))
            time.sleep(0.01)
        processes.kill_tree(process.pid)
    assert seen >= before + 3
