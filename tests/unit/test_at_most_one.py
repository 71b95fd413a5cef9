"""Every at-most-one scheme on a single line, without a board."""

import math

import pytest
from library_schemes import EVERY
from tree_sizes import totalizer

from nqbench.encodings.base import Encoding
from nqbench.testing import check_at_most_one

SCHEMES = [
    *EVERY,
    *(f"commander:group={group}" for group in (2, 4, 5, 7)),
    *(f"bimander:group={group}" for group in (1, 3, 4, 5)),
]
"""Those that are not in test_encodings."""


@pytest.mark.parametrize("name", SCHEMES)
def test_exactly_the_assignments_with_at_most_one_true_are_allowed(name):
    for k in range(1, 10):
        check_at_most_one(Encoding.named(name), k)


def bits(k):
    return math.ceil(math.log2(k)) if k > 1 else 0


def pairs(k):
    return math.comb(k, 2)


def commander(k, g):
    c = max(0, math.ceil((k - g) / (g - 1)))
    rest = k - c * (g - 1)
    return c, c * (pairs(g) + g + 1) + pairs(rest)


def product(k):
    if k <= 6:
        return 0, pairs(k)
    p = math.ceil(math.sqrt(k))
    q = math.ceil(k / p)
    (v1, c1), (v2, c2) = product(p), product(q)
    return p + q + v1 + v2, 2 * k + c1 + c2


def bimander(k, g):
    b = bits(math.ceil(k / g))
    return b, k * b + k // g * pairs(g) + pairs(k % g)


def cardinality_network(k):
    if k % 2:
        variables, clauses = cardinality_network(k + 1)
        return variables + 1, clauses + 1
    return 4 * k - 6, 6 * k - 8


# Auxiliary variables and clauses for k > 2, as in the docstrings of the encodings.
FORMULAS = {
    "pairwise": lambda k: (0, pairs(k)),
    "sequential": lambda k: (k - 1, 3 * k - 4),
    "bitwise": lambda k: (bits(k), k * bits(k)),
    "ladder": lambda k: (k, 4 * k - 2),
    "product": product,
    "totalizer": lambda k: (totalizer(k)[0], totalizer(k)[1] + 1),
    "cardinality-network": cardinality_network,
    "k-modulo-totalizer": lambda k: (2 * k - 2, 4 * k - 4),
    **{f"commander:group={g}": lambda k, g=g: commander(k, g) for g in (2, 3, 4, 7)},
    **{f"bimander:group={g}": lambda k, g=g: bimander(k, g) for g in (1, 2, 3, 5)},
}


def size(name, k):
    cnf = Encoding.named(name).at_most_one(k)
    return cnf.num_variables - k, cnf.num_clauses


@pytest.mark.parametrize("name", FORMULAS)
def test_sizes_are_those_of_the_formulas(name):
    expected = {1: (0, 0), 2: (0, 1)} | {k: FORMULAS[name](k) for k in range(3, 101)}
    assert {k: size(name, k) for k in range(1, 101)} == expected
