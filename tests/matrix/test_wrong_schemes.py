"""Schemes for at most k with a fault are refuted, each with a choice that shows it."""

from dataclasses import replace

import numpy as np
import pytest
from addons import needs_addon

import nqbench
from nqbench.clauses.cnf import CNF
from nqbench.encodings import (
    cardinality_network,
    commander,
    k_modulo_totalizer,
    lines,
    modulo_totalizer,
    parallel_counter,
    product,
    sequential,
    sorting_network,
    totalizer,
)
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


def last_variable_left_out(patch):
    right = sequential.Sequential.limit
    patch(sequential.Sequential, "limit", lambda self, cnf, x, most: right(self, cnf, x[:-1], most))


def sum_too_small(patch):
    """The totalizer's sums of two numbers are one too small."""

    class Wrong(totalizer.CNFBuilder):
        def add(self, clauses):
            block = np.array(clauses)
            if block.shape[1] == 3:
                block[:, 2] -= block[:, 2] > 9
            super().add(block)

    patch(lines, "CNFBuilder", Wrong)


def carry_ignored(patch):
    right = modulo_totalizer._add_groups
    patch(
        modulo_totalizer,
        "_add_groups",
        lambda cnf, inputs, groups: right(cnf, (*inputs[:2], inputs[2][:0]), groups),
    )


def units_of_the_bound_ignored(patch):
    right = modulo_totalizer.count_in_digits
    patch(
        k_modulo_totalizer,
        "count_in_digits",
        lambda cnf, x, most, p, most_groups: right(cnf, x, most // p * p, p, most_groups),
    )


def outputs_crossed(patch):
    """A comparator says that the smaller one is the larger one."""
    right = cardinality_network._Comparators.compare
    patch(
        cardinality_network._Comparators,
        "compare",
        lambda self, a, b: right(self, a, b)[::-1],
    )


def network_of_another_bound(patch):
    right = sorting_network._network
    patch(sorting_network, "_network", lambda inputs, most: right(inputs, most + 1))


def full_adder_without_a_carry(patch):
    patch(parallel_counter._Adders, "_full", lambda self, a, b, c: (self._half(a, b)[0], c))


def comparator_of_another_bound(patch):
    right = parallel_counter.ParallelCounter.limit
    patch(
        parallel_counter.ParallelCounter,
        "limit",
        lambda self, cnf, x, most: right(self, cnf, x, most ^ 4),
    )


def shadow_missing(patch):
    right = product._shadows
    patch(product, "_shadows", lambda n, most: right(n, most)[:1])


def member_without_commanders(patch):
    right = commander._add_groups
    patch(
        commander,
        "_add_groups",
        lambda cnf, groups, commanders: right(cnf, groups[:, 1:], commanders),
    )


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
    ("sequential", last_variable_left_out, PROBLEM),
    ("totalizer", sum_too_small, PROBLEM),
    ("modulo-totalizer", carry_ignored, PROBLEM),
    ("k-modulo-totalizer", units_of_the_bound_ignored, PROBLEM),
    ("cardinality-network", outputs_crossed, PROBLEM),
    ("sorting-network", network_of_another_bound, PROBLEM),
    ("parallel-counter", full_adder_without_a_carry, PROBLEM),
    ("parallel-counter", comparator_of_another_bound, PROBLEM),
    ("product", shadow_missing, AnyCover(13, bounded=((tuple(range(1, 14)), 0, 2),))),
    ("commander", member_without_commanders, PROBLEM),
    ("pairwise", clause_dropped, PROBLEM),
]


@pytest.fixture
def not_cached():
    """Neither the parts of schemes that other tests have made, nor wrong ones for other tests."""
    cached = (modulo_totalizer._tree, product._num_clauses)
    for each in cached:
        each.cache_clear()
    yield
    for each in cached:
        each.cache_clear()


@needs_addon("certify")
@pytest.mark.usefixtures("not_cached")
@pytest.mark.parametrize(
    ("scheme", "fault", "problem"), FAULTS, ids=[f[1].__name__ for f in FAULTS]
)
def test_a_fault_is_refuted(scheme, fault, problem, monkeypatch):
    fault(monkeypatch.setattr)
    (found,) = nqbench.certify(scheme, [problem])
    assert found.result == "refuted", found.messages
    assert found.witness is not None
