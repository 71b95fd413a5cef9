"""Schemes for at most k have the sizes that their files state, and other libraries agree."""

import itertools
import math
import random
from functools import cache

import numpy as np
import pindakaas
import pytest
from library_schemes import COUNTING as OF_LIBRARIES
from places import ROOT
from pysat.card import CardEnc, EncType
from pysat.formula import CNF as PySATFormula
from pysat.solvers import Solver

from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.stamp import stamp
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import CountingEncoding
from nqbench.plugins import encoding_names
from nqbench.testing.brute_force import BOUNDED_COVERS

SCHEMES = [
    encoding.name
    for encoding in map(Encoding.named, encoding_names())
    if isinstance(encoding, CountingEncoding)
    and not encoding.why_not(BOUNDED_COVERS[0])
    and encoding.name not in OF_LIBRARIES
]


def pairwise(n, k):
    return 0, math.comb(n, k + 1)


def sequential(n, k):
    return (n - 1) * k, 2 * n * k + n - 3 * k - 1


def sorting_network(n, k):
    r = (n - 1).bit_length()
    comparators = 2**r * (r * (r - 1) + 4) // 4 - 1
    missing = int(n < 2**r)
    return 2 * comparators + missing, 3 * comparators + 1 + missing


def parallel_counter(n, k):
    digits, zeros = len(f"{n:b}"), f"{n:b}".count("0")
    full = n - digits
    return 2 * (full + zeros), 7 * full + 3 * zeros + digits - f"{k:b}".count("1")


def commander(n, k):
    size = 2 + k
    count = max(0, math.ceil((n - size) / 2))
    rest = n - 2 * count
    each = math.comb(size + k, k + 1) + math.comb(size + k, size + 1) + k - 1
    return count * k, count * each + math.comb(rest, k + 1)


def adder(n, k):
    """Of queues that become half as long at each place; of at least n - k."""
    full = half = 0
    bits = n
    while bits > 1:
        here = (bits - 1) // 2, int(bits % 2 == 0)
        full, half, bits = full + here[0], half + here[1], sum(here)
    return 2 * (full + half), 7 * full + 4 * half + f"{n - k:b}".count("1")


def decision_diagram(n, k):
    """With a node for each number of true and of false literals before it."""
    nodes = (n - k) * (k + 1)
    return nodes, 2 * nodes - k


@cache
def tree_up_to(n, most, *, is_cut):
    """Variables and clauses of a totalizer with so many outputs, which leaves out clauses to larger
    sums, if it is cut, or has them for the largest output.
    """
    if n == 1:
        return 0, 0
    halves = n // 2, n - n // 2
    parts = [tree_up_to(half, most, is_cut=is_cut) for half in halves]
    counts = [range(min(half, most) + 1) for half in halves]
    clauses = sum(0 < i + j <= (most if is_cut else n) for i in counts[0] for j in counts[1])
    variables = min(n, most) + sum(variables for variables, _ in parts)
    return variables, clauses + sum(clauses for _, clauses in parts)


def watchdog(n, k):
    variables, clauses = tree_up_to(n, k + 1, is_cut=True)
    return variables, clauses + 1


def generalized_totalizer(n, k):
    variables, clauses = tree_up_to(n, k + 1, is_cut=False)
    return variables, clauses + 1


FORMULAS = {
    "adder": adder,
    "decision-diagram": decision_diagram,
    "generalized-totalizer": generalized_totalizer,
    "watchdog": watchdog,
    "pairwise": pairwise,
    "sequential": sequential,
    "sorting-network": sorting_network,
    "parallel-counter": parallel_counter,
    "commander": commander,
}
SMALL = [(n, k) for n in range(3, 13) for k in range(1, n - 1)]


def some_larger(largest):
    draw = random.Random(1)
    sizes = [(n, draw.randint(1, n - 2)) for n in draw.choices(range(13, largest), k=24)]
    return [*sizes, *((n, draw.randint(1, 3)) for n in draw.choices(range(13, 60), k=6))]


def size(name, n, k):
    cnf = Encoding.named(name).at_most(n, k)
    return cnf.num_variables - n, cnf.num_clauses


@pytest.mark.parametrize("name", FORMULAS)
def test_sizes_are_those_of_the_formulas(name):
    formula = FORMULAS[name]
    sizes = [size for size in [*SMALL, *some_larger(150)] if formula(*size)[1] <= 30_000]
    assert len(sizes) >= len(SMALL) + 5
    assert {each: size(name, *each) for each in sizes} == {each: formula(*each) for each in sizes}


def test_every_scheme_has_a_formula_or_is_compared_with_pysat():
    assert {*FORMULAS, "product", *PYSAT} == set(SCHEMES)


@cache
def product(n, k):
    """With the sizes of the shadows found by placing the variables in the grid, one by one."""
    sides, rest = [], n
    for d in range(k + 1, 0, -1):
        sides.append(next(side for side in range(1, rest + 1) if side**d >= rest))
        rest = math.ceil(rest / sides[-1])
    places = [()]
    for side in sides:
        places = [(*place, at) for place in places for at in range(side)]
    shadows = [len({place[:d] + place[d + 1 :] for place in places[:n]}) for d in range(k + 1)]
    every_subset = math.comb(n, k + 1)
    if max(shadows) >= n:
        return 0, every_subset
    parts = [product(shadow, k) for shadow in shadows]
    clauses = (k + 1) * n + sum(clauses for _, clauses in parts)
    if every_subset <= clauses:
        return 0, every_subset
    return sum(shadows) + sum(variables for variables, _ in parts), clauses


def test_product_has_the_size_of_its_grids():
    for n, k in [*SMALL, (13, 2), (40, 2), (150, 2), (20, 3), (60, 3), (33, 4)]:
        assert size("product", n, k) == product(n, k), (n, k)


PYSAT = {
    "totalizer": "totalizer",
    "modulo-totalizer": "mtotalizer",
    "k-modulo-totalizer": "kmtotalizer",
    "cardinality-network": "cardnetwrk",
}


FOR_ONE = PYSAT | {
    "pairwise": "pairwise",
    "sequential": "seqcounter",
    "bitwise": "bitwise",
    "sorting-network": "sortnetwrk",
}


def size_of_pysat(scheme, n, k):
    theirs = CardEnc.atmost(list(range(1, n + 1)), bound=k, encoding=getattr(EncType, scheme))
    return theirs.nv - n, len(theirs.clauses)


@pytest.mark.parametrize("name", PYSAT)
def test_sizes_are_those_of_pysat(name):
    for n, k in [*SMALL, *some_larger(60)]:
        assert size(name, n, k) == size_of_pysat(PYSAT[name], n, k), (n, k)


@pytest.mark.parametrize("name", FOR_ONE)
def test_sizes_for_one_are_those_of_pysat(name):
    for n in (*range(2, 41), 64, 100, 200):
        ours = Encoding.named(name).at_most_one(n)
        assert (ours.num_variables - n, ours.num_clauses) == size_of_pysat(FOR_ONE[name], n, 1), n


PINDAKAAS = {
    "sequential": pindakaas.Encoder.SEQUENTIAL_COUNTER,
    "totalizer": pindakaas.Encoder.TOTALIZER,
    "cardinality-network": pindakaas.Encoder.SORTING_NETWORK,
    "parallel-counter": pindakaas.Encoder.ADDER,
    "k-modulo-totalizer": pindakaas.Encoder.MIXED_RADIX,
}


def allowed(clauses, n):
    """How many sets of the first n variables can be true."""
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        return sum(
            solver.solve(assumptions=[v if chosen >> (v - 1) & 1 else -v for v in range(1, n + 1)])
            for chosen in range(2**n)
        )


@pytest.mark.parametrize("name", PINDAKAAS)
def test_pindakaas_and_pysat_allow_as_many_sets(name):
    for n, k in [(5, 2), (7, 3), (9, 1), (9, 4), (10, 6)]:
        theirs = pindakaas.CNF()
        theirs.add_encoding(sum(theirs.new_vars(n)) <= k, encoder=PINDAKAAS[name])
        ours = allowed(list(Encoding.named(name).at_most(n, k).clauses()), n)
        assert ours == allowed(PySATFormula(from_string=theirs.to_dimacs()).clauses, n)
        pysat = CardEnc.atmost(
            list(range(1, n + 1)), bound=k, encoding=getattr(EncType, PYSAT.get(name, "seqcounter"))
        )
        assert ours == allowed(pysat.clauses, n) == sum(math.comb(n, j) for j in range(k + 1))


def test_the_page_compares_with_other_libraries():
    """Clauses for at most k of 200 options: those of nqbench, of PySAT and of pindakaas."""
    page = (ROOT / "docs" / "explanation" / "encodings.md").read_text()
    table = page.split("<!-- clauses for at most k -->")[1].split("\n\n")[1].replace(",", "")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")[2:]]
    assert {name.strip("`") for name, *_ in rows} == {*PYSAT, *PINDAKAAS}
    for named, *cells in rows:
        name = named.strip("`")
        assert cells == [" / ".join(clauses_of_200(name, k)) for k in (2, 10, 100)], name


def clauses_of_200(name, k):
    ours = f"{Encoding.named(name).at_most(200, k).num_clauses}"
    pysat = pindakaas_s = "-"
    if name in PYSAT:
        pysat = f"{size_of_pysat(PYSAT[name], 200, k)[1]}"
    if name in PINDAKAAS:
        theirs = pindakaas.CNF()
        theirs.add_encoding(sum(theirs.new_vars(200)) <= k, encoder=PINDAKAAS[name])
        pindakaas_s = f"{len(list(theirs.clauses()))}"
    return ours, pysat, pindakaas_s


def models_of_exactly(name, n, k):
    """The sets of k of n that models choose, one for each model: at most k, and n - k false."""
    scheme = Encoding.named(name)
    cnf = CNFBuilder(n)
    for sign, most in ((1, k), (-1, n - k)):
        row = sign * np.arange(1, n + 1, dtype=np.int32)[np.newaxis]
        stamp(cnf, scheme.at_most(n, most), row)
    with Solver("minisat22", bootstrap_with=list(cnf.build().clauses())) as solver:
        for model in solver.enum_models():
            yield tuple(v for v in model[:n] if v > 0)


EXACTLY = [(n, k) for n in (3, 5, 7) for k in range(1, n)]
COUNTING = {
    *("adder", "commander", "pairwise", "parallel-counter", "sequential"),
    *("modulo-totalizer", "k-modulo-totalizer"),
    *("decision-diagram", "generalized-totalizer", "watchdog"),
    *("pysat:seqcounter", "pysat:mtotalizer", "pysat:kmtotalizer"),
    *(name for name in OF_LIBRARIES if name.startswith("pindakaas:")),
}
"""With one model for each set of exactly k. Of PySAT's schemes, these are what its users found in
https://github.com/pysathq/pysat/issues/64: seqcounter, mtotalizer and kmtotalizer. Of pindakaas,
they are all.
"""


@pytest.mark.parametrize("name", [*SCHEMES, *OF_LIBRARIES])
def test_which_schemes_preserve_counts_of_exactly_k(name):
    each_once = True
    for n, k in EXACTLY:
        every = math.comb(n, k)
        # One model more than there are sets shows that a set has two.
        found = list(itertools.islice(models_of_exactly(name, n, k), every + 1))
        assert {len(chosen) for chosen in found} == {k}
        assert len(found) >= every
        each_once &= len(found) == every == len(set(found))
    assert each_once == (name in COUNTING)
