"""Schemes for at most k with a fault are refuted, each with a choice that shows it."""

from dataclasses import replace

import pytest
from addons import needs_addon

import nqbench
from nqbench.clauses.cnf import CNF
from nqbench.encodings import parallel_counter
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.testing.brute_force import AnyCover

pytestmark = pytest.mark.usefixtures("called_directly")

PROBLEM = AnyCover(8, bounded=((tuple(range(1, 9)), 0, 3),), instance="3-of-8")
AT_LEAST = AnyCover(8, bounded=((tuple(range(1, 9)), 3, 8),), instance="at-least-3-of-8")


def bound_too_large(patch):
    right = CountingEncoding.at_most
    patch(CountingEncoding, "at_most", lambda self, n, most: right(self, n, min(n, most + 1)))


def bound_too_small(patch):
    right = CountingEncoding.at_most
    patch(CountingEncoding, "at_most", lambda self, n, most: right(self, n, most - 1))


def one_fewer_is_enough(patch):
    right = LineEncoding.add_upper

    def add(self, cnf, rows):
        is_lower = bool((rows.literals < 0).all())
        right(self, cnf, replace(rows, most=rows.most + is_lower))

    patch(LineEncoding, "add_upper", add)


def full_adder_without_a_carry(patch):
    patch(parallel_counter._Adders, "_full", lambda self, a, b, c: (self._half(a, b)[0], c))


def clause_dropped(patch):
    right = CountingEncoding.at_most

    def without_one(self, n, most):
        cnf = right(self, n, most)
        return CNF(cnf.num_variables, cnf.num_main, (cnf.blocks[0][1:], *cnf.blocks[1:]))

    patch(CountingEncoding, "at_most", without_one)


FAULTS = [
    ("sequential", bound_too_large, PROBLEM),
    ("totalizer", bound_too_small, PROBLEM),
    ("sequential", one_fewer_is_enough, AT_LEAST),
    ("parallel-counter", full_adder_without_a_carry, PROBLEM),
    ("pairwise", clause_dropped, PROBLEM),
]
"""Too loose or too strict, in the bound or inside. What schemes allow is tried in other tests."""


@needs_addon("certify")
@pytest.mark.parametrize(
    ("scheme", "fault", "problem"), FAULTS, ids=[f[1].__name__ for f in FAULTS]
)
def test_a_fault_is_refuted(scheme, fault, problem, monkeypatch):
    fault(monkeypatch.setattr)
    (found,) = nqbench.certify(scheme, [problem])
    assert found.result == "refuted", found.messages
    assert found.witness is not None
