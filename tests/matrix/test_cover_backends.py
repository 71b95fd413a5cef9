"""The backends that take a cover: options and items."""

import itertools
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from installing import is_told
from searches import COVER_BACKENDS, assert_solved, models_of
from strategies import any_covers

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.backends.xcover import XCover
from nqbench.checking import exhaustive
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.plugins.availability import why_unavailable
from nqbench.plugins.component import Component
from nqbench.problems.cover import along, by_length
from nqbench.problems.queens import Queens
from nqbench.testing.brute_force import SMALL_COVERS, AnyCover


@settings(max_examples=50)
@given(problem=any_covers())
def test_exhaustion_finds_what_the_rules_allow(problem):
    chosen = itertools.chain.from_iterable(
        itertools.combinations(problem.options, size) for size in range(problem.num_options + 1)
    )
    expected = [[number + 1 for (number,) in c] for c in chosen if problem.violation(c) is None]
    assert sorted(exhaustive.solutions(problem)) == sorted(expected)


EDGES = {
    "nothing to choose and nothing to cover": (AnyCover(0), [()]),
    "a primary item that no option covers": (AnyCover(0, primary=((),)), []),
    "a secondary item that no option covers": (AnyCover(0, secondary=((),)), [()]),
    "an option without items": (AnyCover(1), [(), (1,)]),
    "one option with one item": (AnyCover(1, primary=((1,),)), [(1,)]),
    "two options with the same only item": (AnyCover(2, primary=((1, 2),)), [(1,), (2,)]),
    "only secondary items": (AnyCover(2, secondary=((1, 2),)), [(), (1,), (2,)]),
    "an option that is chosen and excluded": (AnyCover(1, given=(1, -1)), []),
    "chosen options with a common item": (AnyCover(2, secondary=((1, 2),), given=(1, 2)), []),
    "every option is excluded": (AnyCover(2, secondary=((1, 2),), given=(-1, -2)), [()]),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("name", COVER_BACKENDS)
def test_the_smallest_covers(name, edge):
    assert_solved(name, *EDGES[edge])


@pytest.mark.parametrize("name", COVER_BACKENDS)
@pytest.mark.parametrize(
    ("n", "solutions"), [(1, 1), (2, 0), (3, 0), (4, 2), (5, 10), (6, 4), (7, 40), (8, 92)]
)
def test_the_numbers_of_solutions_of_queens(name, n, solutions):
    """A000170 of the OEIS."""
    assert len(models_of(name, Queens(n).constraints())) == solutions


@pytest.mark.parametrize("name", COVER_BACKENDS)
@pytest.mark.parametrize(("n", "squares"), [(1, 1), (2, 2), (3, 12), (4, 576)])
def test_the_numbers_of_latin_squares(name, n, squares):
    """A002860 of the OEIS."""
    options = np.arange(1, n**3 + 1, dtype=np.int32).reshape(n, n, n)
    cover = Constraints.of(n**3, *(Rows.exactly(along(options, axis), 1) for axis in range(3)))
    assert len(models_of(name, cover)) == squares


@pytest.mark.parametrize("name", COVER_BACKENDS)
@pytest.mark.parametrize(("n", "pairings"), [(3, 2), (4, 2), (5, 0), (6, 0), (7, 52)])
def test_the_numbers_of_langford_pairings(name, n, pairings):
    """A014552 of the OEIS, which counts a pairing and its mirror image once."""
    options = [(k, i, i + k + 1) for k in range(1, n + 1) for i in range(2 * n - k - 1)]
    numbers = [[v for v, option in enumerate(options, 1) if option[0] == k + 1] for k in range(n)]
    places = [
        [v for v, option in enumerate(options, 1) if place in option[1:]] for place in range(2 * n)
    ]
    cover = Constraints.of(
        len(options), *(Rows.exactly(items, 1) for items in by_length([*numbers, *places]))
    )
    assert len(models_of(name, cover)) == pairings


def test_cp_sat_counts_its_work():
    solver = Backend.named("cp-sat-cover").load(Queens(12).constraints())
    solver.solve()
    assert solver.counters().decisions > 0


def test_models_of_xcover_are_handed_out_as_they_are_found():
    """There are 2^100 models, too many to collect first."""
    cover = Encoding.named("cover").encode(AnyCover(100))
    first, second = itertools.islice(Backend.named("xcover").load(cover).models(), 2)
    assert (first != second).sum() == 1


def test_without_xcover_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "xcover", None)
    reason = why_unavailable(Backend.named, "xcover")
    assert reason.count("\n") == 0
    assert is_told(reason, "xcover")


def test_a_component_may_need_more_time_for_its_probe(monkeypatch):
    monkeypatch.setattr(Component, "probe_s", 1.0)
    monkeypatch.setattr(XCover, "probe", lambda self: time.sleep(1.5))
    assert why_unavailable(Backend.named, "xcover") is None
    monkeypatch.setattr(XCover, "probe_s", 1.0)
    assert "time" in why_unavailable(Backend.named, "xcover")


def test_xcover_compiles_nothing_in_a_run():
    """Every compilation is reported by numba; all are over when the module is imported."""

    def check():
        from numba.core import event

        backend = Backend.named("xcover")
        backend.probe()
        with event.install_recorder("numba:compile") as recorder:
            models_of("xcover", Queens(6).constraints())
        assert not recorder.buffer
        return b""

    ending = isolate.call(check, Limits(time_s=120))
    assert ending.outcome is Outcome.FINISHED, ending.message


@pytest.mark.parametrize("problem", SMALL_COVERS, ids=str)
def test_small_covers_have_a_solution_if_they_say_so(problem):
    assert exhaustive.has_solution(problem) == any(
        problem.violation(chosen) is None
        for size in range(len(problem.options) + 1)
        for chosen in itertools.combinations(problem.options, size)
    )
