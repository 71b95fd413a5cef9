"""At-most-one constraints with auxiliary variables: recognised, replaced, and derived."""

import io
import itertools
import random

import numpy as np
import pytest
from proofs import numbers_of
from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

from nqbench.checking import proof
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.clauses.rewriting.derivation import derivation, write_drat
from nqbench.clauses.rewriting.detection import find_constraints
from nqbench.clauses.rewriting.hidden import find_hidden
from nqbench.clauses.rewriting.rewrite import reencode
from nqbench.clauses.stamp import stamp
from nqbench.encodings.base import Encoding
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.rewriting import scheme
from nqbench.plugins.loading import encoding_names
from nqbench.problems.base import Problem
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("called_directly")

SCHEMES = sorted(
    name
    for name in encoding_names()
    if isinstance(each := Encoding.named(name), LineEncoding) and each.only_for is Problem
)
WITH_AUXILIARY = sorted({*SCHEMES} - {"pairwise", "adder"})
"""Unit propagation derives less in adders than the constraint says, which is how it is found."""


def cnf(clauses):
    builder = CNFBuilder(max(abs(v) for clause in clauses for v in clause))
    for clause in clauses:
        builder.add([clause])
    return builder.build()


def lines(n):
    """The sizes of the lines of a board that have at least six squares."""
    diagonals = [n - abs(n - 1 - at) for at in range(2 * n - 1)]
    return sorted(size for size in [n] * 2 * n + diagonals * 2 if size > 5)


@pytest.mark.parametrize("name", WITH_AUXILIARY)
def test_every_line_of_a_board_is_recognised_in_every_scheme(name):
    every = find_constraints(Encoding.named(name).clauses(Queens(10)), least=6)
    assert sorted(len(each.literals) for each in every.constraints) == lines(10)
    assert all(max(map(abs, each.literals)) <= 100 for each in every.constraints)


ENCODINGS = [
    EncType.bitwise, EncType.cardnetwrk, EncType.kmtotalizer, EncType.ladder, EncType.mtotalizer,
    EncType.seqcounter, EncType.sortnetwrk, EncType.totalizer,
]  # fmt: skip


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_another_library_writes_is_recognised(encoding):
    """All of PySAT's encodings with auxiliary variables, on ten literals of both signs."""
    literals = [1, -2, 3, 4, -5, 6, 7, 8, 9, 10]
    clauses = CardEnc.atmost(literals, 1, encoding=encoding).clauses
    # Elsewhere, the literals occur in a long clause.
    (one,) = find_hidden(cnf([*clauses, literals]), 6)
    assert sorted(one.literals, key=abs) == literals
    assert not one.exactly


def sequential(k, *others):
    """At most one of k by a counter, and other clauses."""
    return [*Encoding.named("sequential").at_most_one(k).clauses(), *map(list, others)]


@pytest.mark.parametrize("at", range(3 * 8 - 4))
def test_without_one_clause_it_is_another_constraint(at):
    """What is left out may leave a smaller constraint: it is one."""
    clauses = sequential(8, range(1, 9))
    whole = tuple(range(1, 9))
    assert [each.literals for each in find_hidden(cnf(clauses), 3)] == [whole]
    original = cnf(clauses[:at] + clauses[at + 1 :])
    assert whole not in [each.literals for each in find_hidden(original, 3)]
    done = reencode(original, scheme("pairwise"), least=4)
    assert models(original, 8) == models(done.formula, 8)


@pytest.mark.parametrize("clause", [(9, 20), (-12, 20), (12, -15, 20), (-9, 12), (15, 9)])
def test_an_auxiliary_variable_that_is_used_elsewhere_stays(clause):
    """A clause more on one of the auxiliary variables 9..15 says something else."""
    original = cnf(sequential(8, range(1, 9), clause, range(20, 26)))
    done = reencode(original, scheme("product"))
    if 20 in clause:
        assert tuple(range(1, 9)) not in [each.literals for each in find_hidden(original, 3)]
    assert models(original, 8) == models(done.formula, 8)


@pytest.mark.parametrize("twice", [(-1, -1, 9), (-3, 10, -3), (1, 1)])
def test_a_literal_twice_changes_nothing(twice):
    original = cnf(sequential(8, range(1, 9), twice))
    done = reencode(original, scheme("bitwise"))
    assert models(original, 8) == models(done.formula, 8)


def models(formula, variables):
    """The models, as values of the first variables."""
    every = set()
    with Solver("cadical153", bootstrap_with=list(formula.clauses())) as solver:
        while solver.solve():
            chosen = tuple(solver.get_model()[:variables])
            every.add(chosen)
            solver.add_clause([-v for v in chosen])
    return every


@pytest.mark.parametrize("source", SCHEMES)
@pytest.mark.parametrize("target", ["product", "pairwise"])
def test_models_are_mapped_to_models_of_the_original(source, target):
    """With values for the auxiliary variables that were dropped."""
    original = Encoding.named(source).clauses(Queens(7))
    done = reencode(original, scheme(target), least=4)
    kept = {abs(v) for clause in done.formula.clauses() for v in clause}
    assert kept.isdisjoint(v for each in done.replaced for v in each.auxiliary)
    count = 0
    with Solver("cadical153", bootstrap_with=list(done.formula.clauses())) as solver:
        while solver.solve():
            # Variables that occur nowhere have no value in a model.
            values = np.array(solver.get_model()) > 0
            values.resize(done.formula.num_variables)
            own = done.original(values)
            assert original.falsified(own) is None
            count += 1
            solver.add_clause([-v if own[v - 1] else v for v in range(1, 50)])
    assert count == 40  # A000170


def test_a_wrong_value_of_an_auxiliary_variable_is_no_model():
    original = Encoding.named("sequential").clauses(Queens(8))
    done = reencode(original, scheme("product"))
    with Solver("cadical153", bootstrap_with=list(done.formula.clauses())) as solver:
        assert solver.solve()
        values = np.array(solver.get_model()) > 0
    assert original.falsified(done.original(values)) is None
    for each in done.replaced:
        each.values[:] = each.values[::-1].copy()
    assert original.falsified(done.original(values)) is not None


@pytest.mark.parametrize("seed", range(60))
def test_any_mixture_of_schemes_keeps_an_answer(seed):
    """Constraints that share literals, and clauses on all variables, also on auxiliary ones."""
    chosen = random.Random(seed)
    builder = CNFBuilder(12)
    for _ in range(4):
        k = chosen.randint(4, 8)
        template = Encoding.named(chosen.choice(SCHEMES)).at_most_one(k)
        signs = [chosen.choice([1, 1, 1, -1]) * v for v in chosen.sample(range(1, 13), k)]
        stamp(builder, template, np.array([signs], np.int32))
    for _ in range(chosen.randint(4, 40)):
        width = chosen.choice([2, 3, 3, 9])
        variables = chosen.sample(range(1, chosen.choice([13, builder.num_variables + 1])), width)
        builder.add([[chosen.choice([1, 1, -1]) * v for v in variables]])
    original = builder.build()
    done = reencode(original, scheme(chosen.choice(SCHEMES)), least=4)
    with Solver("cadical153", bootstrap_with=list(original.clauses())) as solver:
        satisfiable = solver.solve()
    with Solver("cadical153", bootstrap_with=list(done.formula.clauses())) as solver:
        assert solver.solve() == satisfiable
        if satisfiable:
            values = np.array(solver.get_model()) > 0
            values.resize(done.formula.num_variables)
            assert original.falsified(done.original(values)) is None


DERIVING = [name for name in SCHEMES if name not in {"parallel-counter", "adder"}]
"""Unit propagation does not derive from adders that two variables exclude each other."""


@pytest.mark.parametrize("source", DERIVING)
def test_unsat_is_derived_from_the_original(source):
    """The derivation, and a solver's proof after it, prove the original formula. In the binary
    format, the steps are the same. The pairs are derived from the source, and from them the target:
    so each source is tried with four targets, and each target with several sources.
    """
    original = Encoding.named(source).clauses(Pigeonhole(6))
    for target in SCHEMES[DERIVING.index(source) % 4 :: 4]:
        done = reencode(original, scheme(target), least=4)
        assert done.replaced, target
        steps, packed = (
            b"".join(write_drat(derivation(done), binary=binary)) for binary in (False, True)
        )
        assert packed == binary_of(steps.decode()), target
        solved = proof_of(done.formula)
        assert proof.flaw(original, io.BytesIO(steps + solved.encode())) is None, target
    assert proof.flaw(original, io.BytesIO(packed + binary_of(solved))) is None


def proof_of(formula):
    with Solver("cadical153", bootstrap_with=formula.clauses(), with_proof=True) as solver:
        assert not solver.solve()
        return "\n".join([*solver.get_proof(), "0"])


def binary_of(text):
    """The same proof in the binary format."""
    steps = bytearray()
    for line in text.splitlines():
        words = line.split()
        deletes = words[:1] == ["d"]
        steps += b"d" if deletes else b"a"
        steps += numbers_of(map(int, words[deletes:]))
    return bytes(steps)


def test_a_derivation_from_another_formula_is_refused():
    """Without the pairs, a hole has room for all."""
    original = Encoding.named("pairwise").clauses(Pigeonhole(6))
    done = reencode(original, scheme("product"))
    blocks = tuple(block for block in original.blocks if block.shape[1] != 2)
    less = CNF(original.num_variables, original.num_main, blocks)
    text = b"".join(write_drat(derivation(done), binary=False)) + proof_of(done.formula).encode()
    assert proof.flaw(original, io.BytesIO(text)) is None
    with Solver("cadical153", bootstrap_with=less.clauses()) as solver:
        assert solver.solve()
    assert "does not follow" in proof.flaw(less, io.BytesIO(text))


@pytest.mark.parametrize("order", ["occurrence", "proximity", "random", "random:order-seed=3"])
@pytest.mark.parametrize("name", ["product", "bimander"])
def test_another_order_of_literals_keeps_the_solutions(name, order):
    encoding = Encoding.named(f"{name}:order={order}")
    formula = encoding.clauses(Queens(6))
    assert len(models(formula, 36)) == 4
    given = Encoding.named(name).clauses(Queens(6))
    assert sorted(map(len, formula.clauses())) == sorted(map(len, given.clauses()))
    assert list(formula.clauses()) != list(given.clauses())


def test_literals_that_occur_most_come_first():
    clauses = [[-a, -b] for a, b in itertools.combinations(range(1, 9), 2)]
    often = [[7, 20], [7, 21], [7, 22], [3, 20], [3, 21]]
    done = reencode(cnf([*clauses, *often]), scheme("product:order=occurrence"))
    (only,) = done.stamped
    assert only.items[0].tolist() == [7, 3, 1, 2, 4, 5, 6, 8]


def test_literals_that_occur_together_are_near_each_other():
    """A path through the variables, in another order than that of their names."""
    names = list(range(1, 11))
    random.Random(1).shuffle(names)
    pairs = [[-a, -b] for a, b in itertools.combinations(sorted(names), 2)]
    path = [[a, b] for a, b in itertools.pairwise(names)] * 9
    encoding = Encoding.named("product:order=proximity")
    places = encoding.positions([np.array(path, np.int32)], 10)
    ordered = sorted(names, key=lambda v: places[v])
    assert ordered in (names, names[::-1])
    assert len(reencode(cnf([*pairs, *path]), encoding).stamped) == 1
