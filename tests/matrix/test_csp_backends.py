"""The backends that are not SAT solvers: backtracking, python-constraint2, CP-SAT; and pycosat."""

import itertools
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from searches import BACKTRACKING, CSP_BACKENDS, OTHER_BACKENDS, search

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.campaign.executors.interpreter import SINGLE_THREADED
from nqbench.checking.verify import check_sat
from nqbench.clauses.csp import CSP
from nqbench.common.errors import UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Outcome, Verdict
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens


def columns(found):
    """The columns numbered from 1, as in the literature."""
    return [column + 1 for _, column in found.solution]


def assert_in_worker(check):
    """Check in a forked process with the default address space of a run."""

    def call():
        check()
        return b""

    ending = isolate.call(call, Limits())
    assert ending.outcome is Outcome.FINISHED, ending.message


def test_importing_the_libraries_starts_no_thread():
    """The fork server imports them, and it must not have threads when it forks."""
    modules = [module for name in OTHER_BACKENDS for module in Backend.named(name).modules]
    program = f"import os, {', '.join(modules)}; print(*os.listdir('/proc/self/task'))"
    tasks = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | SINGLE_THREADED,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(tasks.stdout.split()) == 1


WIRTH = {
    (1, 5, 8, 6, 3, 7, 2, 4): 876,
    (1, 6, 8, 3, 7, 4, 2, 5): 264,
    (1, 7, 4, 6, 8, 2, 5, 3): 200,
    (1, 7, 5, 8, 2, 4, 6, 3): 136,
    (2, 4, 6, 8, 3, 1, 7, 5): 504,
    (2, 5, 7, 1, 3, 8, 6, 4): 400,
    (2, 5, 7, 4, 1, 8, 6, 3): 72,
    (2, 6, 1, 7, 4, 8, 3, 5): 280,
    (2, 6, 8, 3, 1, 4, 7, 5): 240,
    (2, 7, 3, 6, 8, 5, 1, 4): 264,
    (2, 7, 5, 8, 1, 4, 6, 3): 160,
    (2, 8, 6, 1, 3, 5, 7, 4): 336,
}
"""The solutions of eight queens up to symmetry, and the number of squares tested to reach each
from the one before: N. Wirth, "Algorithms + Data Structures = Programs", 1976, table 3.2.
"""


def test_the_way_to_the_solutions_is_that_of_wirth():
    asked = search("backtracking", Queens(8))
    tested, so_far = {}, 0
    for found in itertools.islice(asked.all(), len(WIRTH)):
        nodes = asked.counters().nodes
        tested[tuple(columns(found))] = nodes - so_far
        so_far = nodes
    assert tested == WIRTH
    assert list(tested) == list(WIRTH)


def test_the_whole_tree_is_that_of_knuth():
    """2057 nodes with the root: D. Knuth, "Estimating the efficiency of backtrack programs",
    Mathematics of Computation 29, 1975. Every node but the root is a value that is taken back.
    """
    asked = search("backtracking", Queens(8))
    assert len({found.solution for found in asked.all()}) == 92
    assert asked.counters().backtracks == 2056


def textbook(n):
    """Recursive plain backtracking up to the first solution."""
    count = Counter(nodes=0, checks=0, backtracks=0)

    def safe(queens, column):
        for other in queens:
            count["checks"] += 1
            if other == column:
                return False
        for row, other in enumerate(queens):
            count["checks"] += 1
            if abs(other - column) == len(queens) - row:
                return False
        return True

    def place(queens):
        if len(queens) == n:
            return True
        for column in range(n):
            count["nodes"] += 1
            if safe(queens, column):
                if place([*queens, column]):
                    return True
                count["backtracks"] += 1
        return False

    place([])
    return Counters(**count)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 8, 10])
def test_counters_of_plain_backtracking(n):
    asked = search("backtracking", Queens(n))
    asked.first()
    assert asked.counters() == textbook(n)


def test_counters_of_forward_checking_on_four_rows_by_hand():
    """In order: 1 (6 checks), 1 3 empties row 3 (3), 1 4 (4), 1 4 2 empties row 4 (2), back twice;
    2 (6), 2 4 (4), 2 4 1 (2), 2 4 1 3.
    """
    asked = search("backtracking:forward=on", Queens(4))
    assert columns(asked.first()) == [2, 4, 1, 3]
    assert asked.counters() == Counters(nodes=8, checks=27, backtracks=2)


@pytest.mark.parametrize("n", range(4, 11))
def test_counters_fall_with_forward_checking(n):
    plain, forward = (
        search("backtracking", Queens(n)),
        search("backtracking:forward=on", Queens(n)),
    )
    assert plain.first().solution == forward.first().solution
    assert forward.counters().nodes <= plain.counters().nodes
    assert forward.counters().backtracks <= plain.counters().backtracks


def test_remaining_values_are_the_same_with_and_without_forward_checking():
    """Both take the variables in the same order, but only one detects empty domains early."""
    plain, forward = (search(name, Queens(8)) for name in BACKTRACKING[2:])
    assert [f.solution for f in plain.all()] == [f.solution for f in forward.all()]
    assert forward.counters().nodes < plain.counters().nodes
    assert forward.counters().checks < plain.counters().checks


@pytest.mark.parametrize("n", [20, 30, 100])
def test_the_order_by_remaining_values_goes_where_the_static_one_does_not_come(n):
    """At n = 20 the static order takes back 199,615 values before its first solution."""
    problem = Queens(n)
    asked = search("backtracking:forward=on:order=mrv", problem)
    assert problem.violation(asked.first().solution) is None
    assert asked.counters().nodes < 1000


@pytest.mark.parametrize("name", BACKTRACKING[:2])
def test_a_search_may_be_deeper_than_the_stack(name):
    variables = 2 * sys.getrecursionlimit()
    chain = [(i, i + 1, 0) for i in range(variables - 1)]
    csp = CSP(np.ones((variables, 2), np.bool_), np.array(chain, np.int32))
    solver = Backend.named(name).load(csp)
    assert solver.solve() is Answer.SAT
    assert csp.broken_by(solver.model()) is None


@pytest.mark.parametrize("name", CSP_BACKENDS)
def test_models_are_handed_out_as_they_are_found(name):
    """There are 2^100 models, too many to collect first."""
    csp = CSP(np.ones((100, 2), np.bool_), np.zeros((0, 3), np.int32))
    first, second = itertools.islice(Backend.named(name).load(csp).models(), 2)
    assert (first != second).sum() == 2


@pytest.mark.parametrize("name", BACKTRACKING)
def test_asked_again_it_answers_the_same_and_counts_on(name):
    solver = Backend.named(name).load(Encoding.named("csp").encode(Queens(6)))
    assert solver.solve() is Answer.SAT
    model, counters = solver.model(), solver.counters()
    assert solver.solve() is Answer.SAT
    assert (solver.model() == model).all()
    assert solver.counters().nodes == 2 * counters.nodes


@pytest.mark.parametrize("name", CSP_BACKENDS)
@pytest.mark.parametrize(("colours", "colourings"), [(2, 0), (3, 120)])
def test_colourings_of_the_petersen_graph(name, colours, colourings):
    """Their numbers are values of its chromatic polynomial."""
    edges = [(i, (i + 1) % 5) for i in range(5)]
    edges += [(i, i + 5) for i in range(5)]
    edges += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    constraints = np.array([(i, j, 0) for i, j in edges], np.int32)
    csp = CSP(np.ones((10, colours), np.bool_), constraints)
    assert len({m.tobytes() for m in Backend.named(name).load(csp).models()}) == colourings


@pytest.mark.parametrize("name", CSP_BACKENDS)
def test_no_values_no_solution(name):
    csp = CSP(np.array([[True, True], [False, False]]), np.array([[0, 1, 0]], np.int32))
    assert Backend.named(name).load(csp).solve() is Answer.UNSAT
    assert not list(Backend.named(name).load(csp).models())


@pytest.mark.parametrize("name", BACKTRACKING)
def test_a_variable_without_values_is_seen_before_anything_is_tried(name):
    csp = CSP(np.array([[True, True], [False, False]]), np.zeros((0, 3), np.int32))
    solver = Backend.named(name).load(csp)
    assert solver.solve() is Answer.UNSAT
    assert solver.counters() == Counters(nodes=0, checks=0, backtracks=0)


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_cp_sat_on_several_threads_within_the_address_space_of_a_run(threads):
    problem = Queens(30, "blocked", blocked=tuple((row, row) for row in range(30)))

    def check():
        asked = search(f"cp-sat:threads={threads}", problem)
        found = asked.first()
        checked = check_sat(problem, asked.instance, found.model, found.solution)
        assert checked.verdict is Verdict.VERIFIED, checked.message
        assert asked.counters().conflicts is not None
        assert asked.counters().decisions is not None

    assert_in_worker(check)


def test_cp_sat_enumerates_on_one_thread_only():
    with pytest.raises(UnavailableError, match="cannot enumerate"):
        search("cp-sat:threads=2", Queens(4)).all()


def test_cp_sat_does_the_same_work_every_time():
    def counters():
        asked = search("cp-sat", Queens(12))
        asked.first()
        return asked.counters()

    def check():
        first = counters()
        assert first == counters()
        assert first.decisions > 0

    assert_in_worker(check)
