"""Certified encodings: each fault here passes the conformance checks, and `certify` finds it."""

import dataclasses
import json
import sys

import numpy as np
import pytest
from library_schemes import EVERY
from planted import (
    DecodesTheMirrorImage,
    EachTwice,
    FewerQueens,
    ForgetsTheLastBlocked,
    ForgetsToWrap,
    HalfWithoutTheMiddle,
    LacksConflicts,
    LostDiagonal,
    MissingPair,
    OneSolutionTooFew,
    SharedAuxiliary,
    WrongSign,
    without,
)
from pysat.solvers import Solver

import nqbench
from nqbench.addons.certify import counting, directions, pigeonhole_proof
from nqbench.addons.certify.certificate import Result
from nqbench.addons.certify.examiner import certificates
from nqbench.checking import proof, reference
from nqbench.checking.verify import ProofCheck, ProofState
from nqbench.clauses.cnf import CNF
from nqbench.cli import app
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.encodings.order import Order
from nqbench.encodings.sequential import Sequential
from nqbench.measure.implication import elimination, implications
from nqbench.measure.implication.implications import Definition, Subject
from nqbench.measure.implication.steps import State, Steps
from nqbench.problems.board_lines import Grid
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens, variable_of
from nqbench.testing import check_encoding

pytestmark = pytest.mark.usefixtures("called_directly")

LIMITS = Limits(time_s=60.0)
KNOWN = (1, 0, 0, 2, 10, 4, 40, 92, 352, 724)
"""The numbers of solutions for n = 1..10: OEIS A000170."""


def certified(encoding, *problems):
    return list(certificates(encoding, problems, LIMITS))


BLOCKED = Queens(8, "blocked", blocked=((0, 0), (7, 2)))
ALLOWS, FORBIDS, COUNT = "only_solutions", "every_solution", "count"


@pytest.mark.parametrize(
    ("encoding", "problem", "part"),
    [
        (MissingPair("planted"), Queens(9), ALLOWS),
        (LostDiagonal("planted"), Queens(9), ALLOWS),
        (OneSolutionTooFew("planted"), Queens(10), FORBIDS),
        (EachTwice("planted"), Queens(7), COUNT),
        (SharedAuxiliary("planted"), Queens(7), FORBIDS),
        (WrongSign("planted"), Queens(8), FORBIDS),
        (ForgetsTheLastBlocked("planted"), BLOCKED, ALLOWS),
        (ForgetsToWrap("planted"), Queens(7, "torus"), ALLOWS),
        (DecodesTheMirrorImage("planted"), Queens(7), COUNT),
        (LacksConflicts("planted"), Queens(8), ALLOWS),
        (HalfWithoutTheMiddle("planted:symmetry=half"), Queens(7), FORBIDS),
        (FewerQueens("planted"), Queens(7), ALLOWS),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Encoding) else None,
)
def test_a_fault_on_larger_boards_passes_conformance_and_is_found(encoding, problem, part):
    check_encoding(encoding)
    (found,) = certified(encoding, problem)
    assert found.result is Result.REFUTED
    refuted = getattr(found, part)
    assert refuted.state is State.REFUTED, found
    if part == ALLOWS:
        assert problem.violation(refuted.witness) is not None
    if part == FORBIDS:
        assert problem.violation(refuted.witness) is None
        assert not has_model(encoding.clauses(problem), problem, refuted.witness)


def has_model(cnf, problem, solution):
    from pysat.solvers import Solver

    chosen = {variable_of(square, problem.n) for square in solution}
    assumed = [v if v in chosen else -v for v in range(1, problem.n**2 + 1)]
    with Solver("glucose4", bootstrap_with=cnf.clauses()) as solver:
        return solver.solve(assumptions=assumed)


@pytest.mark.parametrize("encoding", [MissingPair("planted"), OneSolutionTooFew("planted")])
def test_a_board_below_the_fault_is_certified(encoding):
    (found,) = certified(encoding, Queens(8))
    assert found.result is Result.CERTIFIED
    assert found.count.found == KNOWN[7]


def clausal():
    every = map(Encoding.named, complete_encoding_names())
    return [each.name for each in every if each.makes in (Form.CNF, Form.CNF_PLUS)]


VARIANTS = ["pairwise:symmetry=half", "product:state=alo-columns", "sequential:state=board"]


@pytest.mark.parametrize("name", sorted({*clausal(), *EVERY, *VARIANTS} - {"file"}))
def test_every_encoding_is_certified_in_both_directions(name):
    encoding = Encoding.named(name)
    (found,) = certified(encoding, Queens(5))
    parts = (found.count, found.only_solutions, found.every_solution)
    assert [part.state for part in parts] == [State.PROVED] * 3, found.messages
    assert (found.count.found, found.count.expected) == (KNOWN[4], KNOWN[4])


def test_many_solutions_are_looked_for_instead_of_enumerated(monkeypatch):
    monkeypatch.setattr(counting, "MOST_ENUMERATED", 90)
    for name in ("commander", "log"):
        (found,) = certified(Encoding.named(name), Queens(8))
        assert (found.count.state, found.count.found) == (State.PROVED, KNOWN[7])
        assert not found.count.every_model
        assert found.result is Result.CERTIFIED
    (found,) = certified(OneSolutionTooFew("planted"), Queens(10))
    assert found.count.message == "forbids a solution"


def test_literals_that_mean_other_options_than_decode_are_found(monkeypatch):
    right = Order.option_literals
    monkeypatch.setattr(Order, "option_literals", lambda *told: right(*told)[::-1])
    (found,) = certified(Encoding.named("order"), Queens(5))
    assert found.count.message == "option_literals() shows another solution"
    assert found.result is Result.REFUTED


@pytest.mark.parametrize(
    ("literals", "message"),
    [
        (np.ones((25, 1), np.int64), "returned int64 (25, 1)"),
        (np.ones((24, 1), np.int32), "does not fit"),
        (np.full((25, 1), 9999, np.int32), "does not fit"),
    ],
)
def test_literals_that_do_not_fit_leave_the_count(literals, message, monkeypatch):
    monkeypatch.setattr(Order, "option_literals", lambda *_: literals)
    (found,) = certified(Encoding.named("order"), Queens(5))
    assert message in found.every_solution.message
    assert (found.every_solution.state, found.result) == (State.OPEN, Result.CERTIFIED)


def test_known_solutions_alone_do_not_show_that_there_are_no_others(monkeypatch):
    monkeypatch.setattr(counting, "MOST_ENUMERATED", 90)
    monkeypatch.setattr(Order, "option_literals", lambda *_: None)
    (found,) = certified(Encoding.named("order"), Queens(8))
    assert found.count.every_model  # without literals there is no other way to count
    assert found.only_solutions.message == "the encoding has no option_literals()"
    assert found.result is Result.CERTIFIED
    assert dataclasses.replace(
        found, count=dataclasses.replace(found.count, every_model=False)
    ).result is Result.OPEN  # fmt: skip


def test_a_proof_that_the_checker_rejects_does_not_count(monkeypatch):
    flawed = ProofCheck(ProofState.FLAWED, "step 1 does not follow")
    monkeypatch.setattr("nqbench.checking.evidence.Certifier.proof", lambda *_: flawed)
    (found,) = certified(Encoding.named("product"), Queens(5))
    assert found.only_solutions.state is found.every_solution.state is State.OPEN
    assert found.messages["only solutions"] == "step 1 does not follow"
    assert found.result is Result.CERTIFIED  # by the count
    assert "the proof checker" not in found.relied_on


def test_a_wrong_elimination_proves_nothing(monkeypatch):
    right = elimination.definitions

    def wrong(clauses, variables):
        found = right(clauses, variables)
        return [Definition(-each.literal, each.clauses) for each in found]

    monkeypatch.setattr(elimination, "definitions", wrong)
    (found,) = certified(Encoding.named("sequential"), Queens(5))
    assert found.every_solution.state is State.OPEN
    assert "do not fit" in found.every_solution.message


def test_an_elimination_that_grows_too_large_leaves_the_count(monkeypatch):
    monkeypatch.setattr(elimination, "MOST_RESOLVENTS", 10)
    (found,) = certified(Encoding.named("modulo-totalizer"), Queens(7))
    assert "too large" in found.every_solution.message
    assert (found.only_solutions.state, found.result) == (State.PROVED, Result.CERTIFIED)


@pytest.mark.parametrize(
    "definitions",
    [
        [],
        [Definition(3, ((4,),)), Definition(4, ((3,),))],
        [Definition(3, ((1,),)), Definition(4, ((2,),)), Definition(3, ())],
        [Definition(1, ((2,),)), Definition(3, ()), Definition(4, ())],
    ],
    ids=["missing", "circular", "twice", "an option"],
)
def test_definitions_that_need_not_exist_are_refused(definitions):
    empty = CNF(4, 2, ())
    with pytest.raises(ValueError, match="defin"):
        implications.extends(CNF(2, 2, ()), definitions, Subject(empty, 2))


def test_eliminated_variables_get_values_wherever_any_fit():
    """On random formulas, by trying all assignments."""
    random = np.random.default_rng(5)
    for _ in range(60):
        clauses = [
            (random.choice(8, 3, replace=False) + 1) * random.choice([-1, 1], 3) for _ in range(20)
        ]
        found = elimination.definitions([each.tolist() for each in clauses], range(5, 9))
        for bits in range(16):
            values = {v: bool(bits >> (v - 1) & 1) for v in range(1, 5)}
            fits = any(
                satisfied(clauses, values | {v: bool(more >> (v - 5) & 1) for v in range(5, 9)})
                for more in range(16)
            )
            for each in found:
                broken = any(not satisfied([clause], values) for clause in each.clauses)
                values[abs(each.literal)] = broken == (each.literal > 0)
            assert satisfied(clauses, values) == fits


def test_a_variable_is_defined_if_its_clauses_determine_it():
    """On random formulas, by trying all assignments: in every model, it has the value of its
    definition, and the parts have the same models.
    """
    random = np.random.default_rng(5)
    number = 0
    for _ in range(60):
        clauses = [
            ((random.choice(6, size, replace=False) + 1) * random.choice([-1, 1], size)).tolist()
            for size in random.choice([2, 3, 4], 18)
        ]
        found, parts = elimination.find_definitions(clauses, range(4, 7), is_contradiction)
        number += len(found)
        for bits in range(64):
            values = {v: bool(bits >> (v - 1) & 1) for v in range(1, 7)}
            assert satisfied(parts, values) == satisfied(clauses, values)
            if satisfied(clauses, values):
                for each in found:
                    forced = any(not satisfied([clause], values) for clause in each.clauses)
                    assert values[each.literal] == forced
    assert number >= 20


def test_a_formula_may_be_shown_by_parts_of_its_clauses_only():
    subject = Subject(CNF(2, 2, (np.array([[1, 2], [1, -2]], np.int32),)), 2)
    premise = CNF(2, 2, (np.array([[1]], np.int32),))
    with pytest.raises(ValueError, match="no part of the clause"):
        implications.extends(premise, [], subject, [[1], [2]])
    with pytest.raises(ValueError, match="shorter"):
        implications.extends(premise, [], subject, [[1]])
    assert is_contradiction(implications.extends(premise, [], subject, [[1], [1]]).clauses())
    false = implications.extends(premise, [], subject, [[1], [-2]])
    assert not is_contradiction(false.clauses())


def is_contradiction(clauses):
    with Solver("minisat22", bootstrap_with=clauses) as solver:
        return not solver.solve()


def test_definitions_that_do_not_follow_prove_nothing(monkeypatch):
    monkeypatch.setattr(Steps, "is_contradiction", lambda *_: True)
    (found,) = certified(Encoding.named("sequential"), Queens(5))
    assert found.every_solution.state is State.OPEN
    assert "do not fit" in found.every_solution.message


def satisfied(clauses, values):
    return all(any(values[abs(int(v))] == (v > 0) for v in clause) for clause in clauses)


def test_boards_with_too_many_solutions_are_certified_by_proofs_alone(monkeypatch):
    monkeypatch.setattr("nqbench.addons.certify.examiner.MOST_LOOKED_FOR", 91)
    (found,) = certified(Encoding.named("product"), Queens(8))
    assert (found.count.state, found.count.found) == (State.OPEN, None)
    assert found.result is Result.CERTIFIED
    assert "the rules" in found.relied_on
    assert "the exhaustive count" not in found.relied_on


class KeepsTooFew(Sequential):
    """Leaves out what symmetries keep, by a clause that states no row."""

    def add_constraints(self, cnf, problem, constraints):
        super().add_constraints(cnf, problem, constraints)
        cnf.add([[-1, 2]])


class ComparesAuxiliaries(Sequential):
    """States a clause about an auxiliary variable of a row."""

    def add_constraints(self, cnf, problem, constraints):
        super().add_constraints(cnf, problem, constraints)
        cnf.add([[1, problem.n**2 + 1]])


@pytest.mark.parametrize(
    ("encoding", "why_open"),
    [
        (Sequential("sequential"), ""),
        (KeepsTooFew("planted"), "the clauses that state no row may forbid too much"),
        (ComparesAuxiliaries("planted"), "which is of no row"),
    ],
)
def test_rules_that_count_are_certified_with_symmetries(encoding, why_open, monkeypatch):
    monkeypatch.setattr(reference, "MOST_SUBSETS", 100)
    problem = Family.named("queen-domination:k=3:symmetry=eight").of_size(4)
    (found,) = certified(encoding, problem)
    every = found.every_solution
    assert every.state is (State.OPEN if why_open else State.PROVED), every.message
    assert why_open in every.message
    if not why_open:
        assert found.only_solutions.state is State.PROVED, found.only_solutions.message
        assert "the check that the symmetries are those of the rules" in found.relied_on


def test_other_families_are_certified(nqbench):
    told = nqbench("certify", "ladder", "log", "--family", "latin", "--n", 3, "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert [each["count"]["found"] for each in found] == [12, 12]  # OEIS A002860
    assert {each["every_solution"]["state"] for each in found} == {"proved"}


@pytest.mark.parametrize(
    ("name", "message"), [("csp", "makes a csp, not clauses"), ("file", "does not apply|formulas")]
)
def test_an_encoding_without_clauses_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        nqbench.certify(name, 5)


def test_a_notebook_gets_certificates():
    first, second = nqbench.certify("alo-row", [4, 6], time_limit="1m", memory_limit="2GiB")
    assert (first.result, second.result) == (Result.CERTIFIED, Result.CERTIFIED)
    assert (first.n, first.count.found, second.count.found) == (4, KNOWN[3], KNOWN[5])


def test_the_only_row_is_not_left_to_the_pigeonhole_principle():
    assert [1] in directions.essential(Queens(1), CNF(1, 1, ()))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 8])
def test_the_pigeonhole_principle_is_proved(n):
    for board in (Grid(n).rows, Grid(n).columns):
        assert proof.flaw(pigeonhole_proof.claim(board), pigeonhole_proof.proof(board)) is None


def test_the_pigeonhole_principle_needs_every_row():
    board = Grid(5).rows
    open_row = without(pigeonhole_proof.claim(board), lambda clause: clause == board[0].tolist())
    assert "does not follow" in proof.flaw(open_row, pigeonhole_proof.proof(board))


def test_a_principle_without_a_checked_proof_is_relied_on(monkeypatch):
    principle = "the pigeonhole principle"
    (proved,) = certified(Encoding.named("level1"), Queens(5))
    monkeypatch.setattr(pigeonhole_proof, "LARGEST_N", 4)
    (believed,) = certified(Encoding.named("level1"), Queens(5))
    (not_needed,) = certified(Encoding.named("pairwise"), Queens(5))
    assert [principle in each.relied_on for each in (proved, believed, not_needed)] == [
        False, True, False,
    ]  # fmt: skip


def test_a_refuted_encoding_is_drawn(nqbench):
    told = nqbench("certify", "faulty-rules", "--n", 4)
    assert told.returncode == 1
    assert "only solutions: allows a wrong solution" in told.stdout
    assert "Q Q Q Q\nQ Q Q Q" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify", "cover", "--n", 4], "makes a cover, not clauses"),
        (["certify", "prodct", "--n", 4], "did you mean 'product'?"),
        (["certify", "product:state=rows", "--family", "latin", "--n", 3], "for boards of queens"),
    ],
)
def test_wrong_input_is_explained(nqbench, arguments, message):
    told = nqbench(*arguments)
    assert (told.returncode, told.stdout) == (2, "")
    assert message in told.stderr


def test_an_interruption_shows_what_was_finished(monkeypatch, capsys):
    def interrupted(encoding, problems, limits, caller):
        yield from certificates(encoding, problems[:1], limits, caller)
        raise KeyboardInterrupt

    monkeypatch.setattr("nqbench.addons.certify.examiner.certificates", interrupted)
    monkeypatch.setattr(sys, "argv", ["nqbench", "certify", "pairwise", "--n", "4,5"])
    assert app._status() == 130
    printed = capsys.readouterr()
    assert "queens n=4" in printed.out
    assert "certified" in printed.out
    assert "interrupted" in printed.err
