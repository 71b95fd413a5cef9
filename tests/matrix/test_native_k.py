"""At most k and at least k in the encoding `native`, and the solvers that take such constraints."""

import itertools
import random
import shutil
import tempfile
from functools import partial

import numpy as np
import pytest
from addons import needs_addon
from pysat.formula import CNFPlus as PySATFormula

import nqbench
from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.backends.pysat import library
from nqbench.backends.pysat.backend import PySAT
from nqbench.checking.verify import PROOF_HOLDS
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.errors import TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, Outcome
from nqbench.encodings.base import Encoding
from nqbench.measure.search import Search
from nqbench.measure.shuffle import shuffled
from nqbench.plugins import backend_names
from nqbench.problems.families.base import Family
from nqbench.testing import check_backend, solutions
from nqbench.testing.brute_force import BOUNDED_COVERS, AnyCover
from nqbench.testing.encodings import check_instances

pytestmark = pytest.mark.usefixtures("called_directly")

NATIVE = Encoding.named("native")
NAMES = [name for name in backend_names() if Backend.named(name).accepts(NATIVE)]
INSTALLED = [name for name in NAMES if name != "clasp" or shutil.which("clasp")]
DOMINATION = Family.named("queen-domination")
MOST_LITERALS = 5
AT_ONCE = 16
"""Sets that have to be forbidden by one formula: MinisatEP is slow on larger ones."""


def copies(n, most, signs, sets):
    """N literals for each set, of which at most so many are true. Either all of them have the
    values of their sets, or those of at least one.
    """
    count = len(sets)
    literals = np.arange(1, count * n + 1, dtype=np.int32).reshape(count, n) * signs
    fixed = np.where(sets, literals, -literals)
    chosen = count * n + np.arange(1, count + 1, dtype=np.int32)
    implied = [np.repeat(-chosen, n), fixed.ravel()]
    constraints = (Rows.at_most(literals, most),)
    every = Constraints(CNF(count * n, count * n, (fixed.reshape(-1, 1),)), constraints)
    variables = count * n + count
    blocks = (np.array(implied, np.int32).T, chosen[np.newaxis])
    return every, Constraints(CNF(variables, variables, blocks), constraints)


def check_every_set(backend):
    for n in range(1, MOST_LITERALS + 1):
        sets = np.array(list(itertools.product([False, True], repeat=n)))
        mixed = np.array(random.Random(n).choices([1, -1], k=n), np.int32)
        for most, signs in itertools.product(range(n + 1), (1, -1, mixed)):
            few = sets.sum(axis=1) <= most
            every, _ = copies(n, most, signs, sets[few])
            solver = backend.load(every)
            assert solver.solve() is Answer.SAT, (n, most, signs)
            assert every.broken_by(solver.model()) is None, (n, most, signs)
            for start in range(0, np.count_nonzero(~few), AT_ONCE):
                _, some = copies(n, most, signs, sets[~few][start : start + AT_ONCE])
                assert backend.load(some).solve() is Answer.UNSAT, (n, most, signs)


@pytest.mark.parametrize("name", INSTALLED)
def test_exactly_the_sets_of_at_most_k_are_allowed(name):
    """All that have to be allowed are so at once, and none that has to be forbidden is."""

    def check():
        check_every_set(Backend.named(name))
        return b""

    ending = isolate.call(check, Limits(time_s=300))
    assert ending.outcome is Outcome.FINISHED, ending.message


class Wrong(PySAT):
    """MiniCard with other constraints than it was given."""

    def load(self, formula):
        if isinstance(formula, Constraints):
            formula = Constraints(formula.cnf, tuple(self.taken(formula.rows)))
        return super().load(formula)


class Forgets(Wrong):
    def taken(self, constraints):
        return (each for each in constraints if each.most == 1)


class Confuses(Wrong):
    def taken(self, constraints):
        return (Rows.at_most(each.literals, 1) for each in constraints)


@pytest.mark.parametrize("backend", [Forgets, Confuses])
def test_a_solver_that_only_takes_at_most_one_is_found(backend):
    with pytest.raises(AssertionError, match=r"minicard: .* on AnyCover"):
        check_backend(backend("minicard"))


@pytest.mark.parametrize("problem", BOUNDED_COVERS, ids=str)
def test_bounded_items_are_stated(problem):
    assert NATIVE.why_not(problem) is None
    check_instances(NATIVE, [problem])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_every_pair_of_bounds_is_stated(n):
    items = tuple(range(1, n + 1))
    pairs = [(least, most) for most in range(n + 3) for least in range(most + 1)]
    check_instances(NATIVE, [AnyCover(n, bounded=((items, *pair),)) for pair in pairs])


@pytest.mark.parametrize(
    ("least", "most", "clauses", "constraints"),
    [
        (0, 5, [], []),
        (0, 4, [[-1, -2, -3, -4, -5]], []),
        (0, 2, [], [("1 2 3 4 5", 2)]),
        (0, 0, [[-1], [-2], [-3], [-4], [-5]], []),
        (1, 9, [[1, 2, 3, 4, 5]], []),
        (3, 3, [], [("-1 -2 -3 -4 -5", 2), ("1 2 3 4 5", 3)]),
        (2, 5, [], [("-1 -2 -3 -4 -5", 3)]),
        (5, 5, [[1], [2], [3], [4], [5]], []),
        (6, 6, [[6], [-6]], []),
    ],
)
def test_one_clause_stays_one_and_the_rest_are_constraints(least, most, clauses, constraints):
    plus = NATIVE.encode(AnyCover(5, bounded=(((1, 2, 3, 4, 5), least, most),)))
    assert list(plus.cnf.clauses()) == clauses
    lines = [f"{literals} <= {bound}" for literals, bound in constraints]
    header, *written = constraint_files.text(plus, ".cnf+").splitlines()
    assert header == f"p cnf+ {plus.num_variables} {len(clauses) + len(lines)}"
    assert written[len(clauses) :] == lines
    again = Constraints.unpack(memoryview(b"".join(plus.pack())))
    assert (constraint_files.text(again, ".cnf+"), again.digest()) == (
        constraint_files.text(plus, ".cnf+"),
        plus.digest(),
    )


def test_the_bound_is_part_of_the_digest():
    two, three = (
        Constraints(CNF(4, 4, ()), (Rows.at_most(np.array([[1, 2, 3, 4]], np.int32), k),))
        for k in (2, 3)
    )
    assert two.digest() != three.digest()


def test_pysat_reads_the_same_formula():
    plus = NATIVE.encode(DOMINATION.of_size(6))
    theirs = PySATFormula(from_string=constraint_files.text(plus, ".cnf+"))
    assert theirs.nv == 36
    assert theirs.clauses == list(plus.cnf.clauses())
    assert theirs.atmosts == [[list(range(1, 37)), 3]]


@pytest.mark.parametrize("name", ["minicard", "cadical300", "cp-sat"])
def test_all_solutions_of_a_shuffled_formula_come_back_under_their_own_names(name):
    """Bounds stay with their constraints: of these items, one is [0, 2] and the other [2, 3]."""
    (problem,) = [each for each in BOUNDED_COVERS if each.instance == "two-items"]
    plus = NATIVE.encode(problem)
    assert sorted(each.most for each in plus.constraints) == [1, 2]
    for seed in range(5):
        shuffled(plus, seed).formula.check()
        search = Search(
            problem, NATIVE, Backend.named(name), plus, shuffle=partial(shuffled, seed=seed)
        )
        found = list(search.all())
        assert sorted(each.solution for each in found) == sorted(solutions(problem))
        assert all(plus.broken_by(each.model) is None for each in found)


def test_answers_are_verified_on_both_sides():
    """With a proof on the clauses that the constraints stand for, where the solver writes one."""
    problems = [Family.named(f"queen-domination:k={k}").of_size(6) for k in (2, 3)]
    problems += [Family.named(f"peaceable-queens:k={k}").of_size(4) for k in (3, 2)]
    records = nqbench.run(problems, encodings="native", backends=INSTALLED, repeat=1, pin=False)
    assert len(records) == len(problems) * len(INSTALLED)
    assert set(records["verdict"]) == {"verified"}, records["message"].to_list()
    for record in records.iter_rows(named=True):
        is_unsat = record["family"] in ("queen-domination:k=2", "peaceable-queens:k=3")
        assert record["answer"] == ("unsat" if is_unsat else "sat")
        # On a busy machine, the message also says where the time went.
        has_proof = is_unsat and Backend.named(record["backend"]).capabilities.proof
        assert (PROOF_HOLDS in record["message"]) == has_proof


@needs_addon("certify")
def test_it_is_certified():
    problems = [DOMINATION.of_size(n) for n in (3, 4, 5)]
    half = AnyCover(9, bounded=((tuple(range(1, 10)), 2, 5),), instance="half")
    found = nqbench.certify("native", [*problems, half])
    assert [each.result for each in found] == ["certified"] * 4


def test_too_many_clauses_are_not_written():
    constraints = Rows.at_most(np.arange(1, 31, dtype=np.int32)[np.newaxis], 14)
    with pytest.raises(TooManyClausesError, match=r"too many clauses: .* have 2326762800 literals"):
        Constraints(CNF(30, 30, ()), (constraints,)).as_clauses()


@needs_addon("certify")
def test_without_clauses_there_is_neither_a_proof_nor_a_certificate():
    """The rules still show that the answer is right."""
    problem = Family.named("peaceable-queens:k=14").of_size(6)
    records = nqbench.run([problem], encodings="native", backends="gluecard4", repeat=1, pin=False)
    (record,) = records.iter_rows(named=True)
    assert (record["answer"], record["verdict"]) == ("unsat", "verified"), record["message"]
    assert "proof not checked: too many clauses" in record["message"]
    (found,) = nqbench.certify("native", [problem])
    assert found.result == "open"
    for part in (found.count, found.only_solutions, found.every_solution):
        assert "too many clauses" in part.message


@pytest.mark.parametrize("piece", [1, 4, 1 << 20])
@pytest.mark.parametrize(
    ("steps", "kept", "end"),
    [
        ([b"1 -2 0", b"d 1 2 0", b"3 0", b"d 3 0", b"0"], [b"1 -2 0", b"3 0", b"0"], b"\n"),
        ([b"a\x64\x02", b"d\x61\x64", b"d\x02", b"a"], [b"a\x64\x02", b"a"], b"\0"),
        ([], [], b"\n"),
    ],
)
def test_a_proof_keeps_what_it_adds(steps, kept, end, piece, monkeypatch):
    """The step of a binary proof may have the bytes of a and d among its numbers."""
    monkeypatch.setattr(library, "_BUFFER", piece)
    with tempfile.TemporaryFile() as file:
        file.write(b"".join(step + end for step in steps))
        file.flush()
        library.keep_clauses(file, end)
        file.seek(0)
        assert file.read() == b"".join(step + end for step in kept)
