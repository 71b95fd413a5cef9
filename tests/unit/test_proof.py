"""Checks of proofs, against dratify, whose code is another's, and against each other."""

import io
import itertools
import random
import tempfile
from collections import Counter
from functools import partial

import numpy as np
import pytest
from proofs import Steps, hinted, numbers_of, random_formula

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.checking import by_dratify, proof, replay
from nqbench.checking.proof import NotCheckedError
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, ProofForm
from nqbench.encodings.base import Encoding
from nqbench.plugins import backend_names
from nqbench.problems.families.base import Family
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens

PROGRAMS = ("cadical", "glucose", "kissat")
"""Their proofs are tested in test_program_proofs.py."""

PROVING = [
    name
    for name in backend_names()
    if Backend.named(name).capabilities.proof and name not in PROGRAMS
]
PIGEONS = Encoding.named("pairwise").encode(Pigeonhole(5))


def written(name, cnf, has_hints=False):
    backend = Backend.named(name)
    with tempfile.TemporaryFile() as file:
        (backend.prove_with_hints if has_hints else backend.prove)(cnf, file)
        file.seek(0)
        return file.read()


with_hints = partial(written, has_hints=True)


def ours(cnf, content, form=ProofForm.DRAT):
    """What the compiled modules find, in this process."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as hinted:
        source.write(content)
        source.seek(0)
        if form is ProofForm.LRAT:
            return proof.replay_lrat(cnf, source, cnf.num_variables).flaw
        elaborated = proof.write_lrat(cnf, source, hinted)
        if elaborated.flaw is not None:
            return elaborated.flaw
        hinted.seek(0)
        return proof.replay_lrat(cnf, hinted, elaborated.variables).flaw


def theirs(cnf, content, engine="auto"):
    import dratify

    formula = dratify.CNF(cnf.num_variables)
    for clause in cnf.clauses():
        formula.add_dimacs(clause)
    try:
        return dratify.check_proof(formula, content.decode(), engine=engine).ok
    except ValueError:
        return False


def binary(text):
    """The binary form of a proof, as cadical's manual states it."""
    out = bytearray()
    for line in text.decode().splitlines():
        words = line.split()
        out += b"d" if words[0] == "d" else b"a"
        out += numbers_of(map(int, words[1:] if words[0] == "d" else words))
    return bytes(out)


def changed(lines, cnf, source):
    """A proof with a flaw, perhaps one that does not matter."""
    lines, at = list(lines), source.randrange(len(lines))
    match source.randrange(7):
        case 0:
            lines = [line for line in lines if source.random() > 0.3]
        case 1:
            del lines[at]
        case 2:
            words = lines[at].split()
            words[-2:-1] = [str(-int(word)) for word in words[-2:-1] if word != "d"]
            lines[at] = " ".join(words)
        case 3:
            lines = lines[:at]
        case 4:
            clause = source.choice(list(cnf.clauses()))
            lines.insert(at, f"d {' '.join(map(str, clause))} 0")
        case 5:
            lines.insert(0, lines.pop(at))
        case 6:
            variables = source.sample(range(1, cnf.num_variables + 1), 2)
            lines.insert(at, f"{variables[0]} -{variables[1]} 0")
    return lines


def test_two_checkers_agree_on_proofs_that_are_right_and_wrong():
    source, seen = random.Random(1), {True: 0, False: 0}
    while min(seen.values()) < 40:
        cnf, name = random_formula(source), source.choice(["glucose4", "lingeling", "maplechrono"])
        if Backend.named(name).load(cnf).solve() is not Answer.UNSAT:
            continue
        lines = written(name, cnf).decode().splitlines()
        for variant in (lines, *(changed(lines, cnf, source) for _ in range(4))):
            content = "\n".join(variant).encode()
            holds = ours(cnf, content) is None
            # dratify wants the empty clause to be stated.
            assert holds == theirs(cnf, content + b"\n0\n"), content
            assert holds == (ours(cnf, binary(content)) is None), content
            seen[holds] += 1


@pytest.mark.parametrize("step", [b"a\x01\x00", b"d\x01\x00", b"a\x02\x01\x00", b"a\x81\x00\x00"])
def test_variable_0_is_no_part_of_a_binary_proof(step):
    """Its negative literal is the number 1, which watches of clauses were once kept for, but not
    moved with the clauses: a forger could choose what they pointed to.
    """
    assert "there is no variable 0" in ours(PIGEONS, step)


def test_a_first_step_of_any_length_is_read():
    """A clause with a literal that repeats, as CaDiCaL first derives it without."""
    size = 20_000
    wide = CNFBuilder(size)
    wide.add([[1, *range(1, size)]])
    wide.add([[-number] for number in range(1, size)])
    cnf = wide.build()
    step = " ".join(map(str, range(1, size)))
    for text in (f"{step} 0\n0\n", f"d {step} 0\n0\n"):
        for content in (text.encode(), binary(text.encode())):
            assert len(content) > proof.SHORT  # more than what is read at once
            assert proof.flaw(cnf, io.BytesIO(content)) is None


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", PROVING)
def test_proofs_of_all_solvers_hold_and_do_not_if_cut(name):
    content = written(name, PIGEONS)
    assert proof.flaw(PIGEONS, io.BytesIO(content)) is None
    assert proof.flaw(PIGEONS, io.BytesIO(content[: len(content) // 2])) is not None
    other = Encoding.named("pairwise").encode(Queens(6))
    assert "does not follow" in proof.flaw(other, io.BytesIO(content))


def test_a_long_proof_is_checked_in_the_memory_of_what_the_solver_keeps():
    """Glucose adds 10,000 clauses here and deletes most of them."""
    (problem,) = Family.named("excluded-diagonals").drawn([18], [1.0], instances=1, seed=1)
    cnf = Encoding.named("pairwise").encode(problem)
    content = written("glucose4", cnf)
    deleted = sum(line.startswith(b"d") for line in content.splitlines())
    assert deleted > 4000

    ending = isolate.call(lambda: str(ours(cnf, content)).encode(), Limits(memory_bytes=2**28))
    assert ending.payload == b"None", ending.message


HINTING = [name for name in backend_names() if Backend.named(name).capabilities.lrat]


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", HINTING)
def test_proofs_with_hints_hold_and_do_not_if_changed(name):
    """A clause that is changed, and a hint that is left out, is noticed, if it is needed."""
    content = with_hints(name, PIGEONS)
    assert proof.flaw(PIGEONS, io.BytesIO(content), ProofForm.LRAT) is None
    other = Encoding.named("pairwise").encode(Queens(6))
    assert proof.flaw(other, io.BytesIO(content), ProofForm.LRAT) is not None
    steps = [numbers for adds, numbers in by_dratify.steps(content, 2) if adds]
    assert len(steps) > 5
    assert ours(PIGEONS, packed(steps), ProofForm.LRAT) is None
    for at in range(0, len(steps), 3):
        numbers = steps[at]
        number, end = numbers[0], numbers.index(0)
        literals, hints = numbers[1:end], numbers[end + 1 : -1]
        # Each hint is needed: without the last one, no clause is false.
        lacking = [number, *literals, 0, *hints[:-1], 0]
        stronger = [number, *literals[:-1], 0, *hints, 0]
        for wrong in (lacking, stronger) if literals else (lacking,):
            content = packed([*steps[:at], wrong])
            assert f"step {at + 1}, byte " in ours(PIGEONS, content, ProofForm.LRAT)


@pytest.mark.usefixtures("called_directly")
@pytest.mark.parametrize("name", HINTING)
@pytest.mark.parametrize("encoding", ["totalizer", "sequential", "alo-row"])
def test_clauses_derived_while_the_formula_is_read_do_not_shift_the_hints(name, encoding):
    """The formulas of the smallest boards are refuted before their last clause is read."""
    for n in (2, 3):
        cnf = Encoding.named(encoding).encode(Queens(n))
        content = with_hints(name, cnf)
        assert proof.flaw(cnf, io.BytesIO(content), ProofForm.LRAT) is None


def packed(steps):
    """The binary form of steps that add clauses."""
    return b"".join(b"a" + numbers_of(numbers) for numbers in steps)


WITH_HINTS = [
    (b"", "step 1, byte 0: the proof ends without the empty clause"),
    (b"x", "step 1, byte 1: no step begins with this byte"),
    (b"a\x00", "step 1, byte 2: the id is not the next one"),
    (b"a\xab\x01\x00\x00", "step 1, byte 3: the id is not the next one"),
    (b"a\xac\x01\x00\x00", "step 1, byte 3: the id is not the next one"),
    (b"a\x04\x06\x00\x02\x00", "a hint is to a clause with two literals that are not false"),
    (b"d\x04\x00a\x02\x06\x00\x00", "step 2, byte 5: the id is not the next one"),
    (b"d\x04\x00a\x04\x06\x00\x00", "step 2, byte 5: the id is not the next one"),
    (b"d\x04\x00d\x04\x00", "step 2, byte 5: no clause has this id"),
    (b"d\x05\x00", "a negative id is deleted"),
    (b"d\xfe\x7f\x00", "no clause has this id"),
    (b"d\x04", "the proof ends within a step"),
    (b"a\xaa\x01\x00\x00", "the hints do not end with a clause that is false"),
    (b"a\xaa\x01\x00\x03\x00", "the hints do not end with a clause that is false"),
    (b"a\xaa\x01\x00\xfc\x7f\x00", "no clause has this id"),
    (b"a\xaa\x01\x00\x02\x00", "a hint is to a clause with two literals that are not false"),
    (b"a\xaa\x01\x02\x00\x01\x00", "no clause has this id"),
    (b"a\xaa\x01\x02\x00\x00", "the clause does not follow from its hints"),
    (b"a\xaa\x01\x01\x00\x00", "a literal has no variable of the formula"),
    (b"a\xaa\x01\x22\x00\x00", "a literal has no variable of the formula"),
    (b"a\xaa\x01\x02\x03\x00\x00", "a clause contains a literal and its negation"),
    (b"d\x02\x00a\xaa\x01\x00\x02\x00", "step 2, byte 8: no clause has this id"),
    (b"a" + b"\xff" * 12, "step 1, byte 10: a number has more than 63 bits"),
    (b"d\xfe" + b"\xff" * 7 + b"\x7f\x00", "no clause has this id"),
]
"""What is no proof with hints about four queens, and why. Clause 1 is `1 2 3 4`."""


@pytest.mark.parametrize(("content", "flaw"), WITH_HINTS)
def test_what_is_no_proof_with_hints_is_told_what_it_lacks(content, flaw):
    cnf = Encoding.named("pairwise").clauses(Queens(4))
    assert flaw in ours(cnf, content, ProofForm.LRAT)
    assert replay.flaw(cnf.clauses(), cnf.num_variables, content) is not None


def test_nothing_may_follow_the_empty_clause():
    content = with_hints("cadical195", PIGEONS)
    for more in (b"\0", b"a", b"d\x02\x00", content):
        found = ours(PIGEONS, content + more, ProofForm.LRAT)
        assert found.endswith("bytes follow the empty clause")


@pytest.mark.parametrize(
    ("hints", "flaw"),
    [
        ([-3, 1, -4], "step 2, byte 9: the proof ends without the empty clause"),
        ([-3, -4], "a resolvent does not follow from its hints"),
        ([-1], "a resolvent does not follow from its hints"),
        ([], "the clause does not follow from its hints"),
        ([-4], "the clause does not follow from its hints"),
        ([-4, -3], "negative hints are not in order"),
        ([-4, -4], "negative hints are not in order"),
        ([-9], "no clause has this id"),
        ([-3, 1, 1, -4], "a hint follows the one to a clause that is false"),
        ([-3, 1, -4, 1], "a hint follows the one to a clause that is false"),
    ],
)
def test_a_resolution_asymmetric_tautology_needs_hints_for_each_clause(hints, flaw):
    """The clause `2 -3`. Clauses 3 and 4 contain -2: `1 -2` and `3 -2`."""
    cnf = CNF(3, 3, (np.array([[1, 2], [-1, 2], [1, -2], [3, -2]], np.int32),))
    content = b"a" + numbers_of([5, 2, -3, 0, *hints, 0])
    assert flaw in ours(cnf, content, ProofForm.LRAT)
    assert replay.flaw(cnf.clauses(), 3, content) is not None


@pytest.mark.parametrize("content", [b"", b"0\n", b"-1 -2 0\nd -1 -2 0\n", b"a\x03\x05\x00"])
def test_what_unit_propagation_refutes_needs_no_empty_clause(content):
    """Ergo leaves it out."""
    cnf = CNF(2, 2, (np.array([[1], [2]], np.int32), np.array([[-1, -2]], np.int32)))
    assert ours(cnf, content) is None


def test_a_definition_is_a_resolution_asymmetric_tautology():
    """Variable 3 is defined as 1 and 2: its clauses follow from nothing, and contradict nothing."""
    cnf = CNF(2, 2, (np.array([[1, 2], [-1, 2], [1, -2], [-1, -2]], np.int32),))
    definition = b"3 -1 -2 0\n-3 1 0\n-3 2 0\n"
    assert ours(cnf, definition + b"2 0\n0\n") is None
    assert ours(cnf, definition + b"3 0\n0\n") is None
    other = CNF(2, 2, (np.array([[1, 2]], np.int32),))
    for content in (definition + b"3 0\n", b"-3 1 0\n3 2 0\n-3 0\n3 0\n"):
        assert "does not follow" in ours(other, content)
        assert not theirs(other, content, "python")


@pytest.mark.parametrize(
    ("content", "flaw"),
    [
        (b"", "step 1, byte 0: the proof ends without the empty clause"),
        (b"1 0\n", "step 1, byte 4: the clause '1' does not follow"),
        (b"0\n", "step 1, byte 2: the clause '' does not follow"),
        (b"d 1 2 3 4 0\n", "step 2, byte 12: the proof ends without the empty clause"),
        (b"1 2", "the proof ends without the empty clause"),
        (b"a\x02\x04", "the proof ends without the empty clause"),
        (b"no proof at all", "step 1, byte 1: this is no proof"),
        (b"1 - 2 0", "step 1, byte 4: this is no proof"),
        (b"d d 1 0", "step 1, byte 3: this is no proof"),
        (b"99999999999999999999 0", "step 1, byte 9: a number is too large"),
        (b"200000000 0", "a variable is neither old nor the next new one"),
        (b"a" + b"\xff" * 9 + b"\0", "step 1, byte 7: a number is too large"),
        (b"\0", "step 1, byte 1: this is no proof"),
    ],
)
def test_what_is_no_proof_is_told_what_it_lacks(content, flaw):
    """On four queens, since a formula without a model may have a proof as short as this."""
    assert flaw in ours(Encoding.named("pairwise").clauses(Queens(4)), content)


def test_a_formula_with_an_empty_clause_needs_no_proof():
    cnf = CNF(2, 2, (np.array([[1, 2]], np.int32), np.zeros((1, 0), np.int32)))
    assert proof.flaw(cnf, io.BytesIO()) is None


def test_without_the_compiled_modules_dratify_checks(monkeypatch):
    monkeypatch.setattr(proof, "compiled", lambda _: None)
    content = written("glucose4", PIGEONS)
    for form in (content, binary(content)):
        assert proof.flaw(PIGEONS, io.BytesIO(form)) is None
        assert proof.flaw(PIGEONS, io.BytesIO(form[: len(form) // 2])) is not None
    monkeypatch.setattr(by_dratify, "LONGEST", 100)
    with pytest.raises(NotCheckedError, match="the compiled checker is missing"):
        proof.flaw(PIGEONS, io.BytesIO(content))


def test_checkers_that_disagree_are_not_believed(monkeypatch):
    monkeypatch.setattr(replay, "flaw", lambda *_: "nothing")
    with pytest.raises(NotCheckedError, match="two checkers disagree: 'None', and 'nothing'"):
        proof.flaw(PIGEONS, io.BytesIO(with_hints("cadical195", PIGEONS)), ProofForm.LRAT)


def test_the_hints_of_a_proof_have_a_limit():
    content = written("glucose4", PIGEONS)
    with pytest.raises(NotCheckedError, match=r"longer than .* MiB with hints"):
        proof.flaw(PIGEONS, io.BytesIO(content), most_bytes=2**10)


def core(cnf, content):
    """What the core alone finds."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        blocks = list(map(np.ascontiguousarray, cnf.blocks))
        return proof.compiled("_core").flaw(blocks, cnf.num_variables + 2, file.fileno())


def spoiled(content, source):
    """A proof with a byte that is changed, or some that are left out."""
    spoiled = bytearray(content)
    at = source.randrange(len(spoiled))
    match source.randrange(3):
        case 0:
            spoiled[at] = source.randrange(256)
        case 1:
            del spoiled[at : at + source.randint(1, 4)]
        case 2:
            spoiled[at] ^= 1 << source.randrange(3)
    return bytes(spoiled)


def test_two_replays_agree_on_proofs_that_are_right_and_wrong():
    """The core in C, and the one in Python that looks for what the core keeps account of."""
    source, seen = random.Random(3), {True: 0, False: 0}
    while min(seen.values()) < 40:
        cnf = random_formula(source)
        if Backend.named("cadical195").load(cnf).solve() is not Answer.UNSAT:
            continue
        drat = binary(written("glucose4", cnf))
        for content in (with_hints("cadical195", cnf), hinted(cnf, drat)):
            variants = [content]
            variants += [spoiled(content, source) for _ in range(20)]
            for variant in variants:
                holds = core(cnf, variant) is None
                other = replay.flaw(cnf.clauses(), cnf.num_variables + 2, variant)
                assert holds == (other is None), (cnf, variant.hex(), other)
                seen[holds] += 1


def has_model(clauses, variables):
    """By trying all assignments."""
    for signs in itertools.product((-1, 1), repeat=variables):
        true = {sign * (at + 1) for at, sign in enumerate(signs)}
        if all(true.intersection(clause) for clause in clauses):
            return True
    return False


def of_clauses(clauses, variables):
    """A formula with the clauses in this order, as they are."""
    blocks = tuple(np.array([clause], np.int32) for clause in clauses)
    return CNF(variables, variables, blocks)


TAUTOLOGIES = [
    ([-1, 2, -2], [-3], None),  # both in the clause that it is resolved with
    ([-1, 2, 2, -2, -1], [-3], None),
    ([-1, 1], [-3], None),  # the literal that it is resolved on
    ([-1, 1, 3], [-3], None),
    ([-1, 1, -1, 1], [-3], None),
    ([-1, -5], [-3], None),  # one in each clause
    ([-1, 2, -2], [], "the clause does not follow from its hints"),
    ([-1, 2, -2], [-3, 1], "a hint follows the one to a clause that is false"),
    ([-1, 1, 2], [-3, 1], "a hint follows the one to a clause that is false"),
    ([-1, 1], [-2, -3], "a resolvent does not follow from its hints"),
    ([-1, 2, 2], [-3], "a resolvent does not follow from its hints"),
    ([-1, -1], [-3], "a resolvent does not follow from its hints"),
    ([-1, 2, -4], [-3], "a resolvent does not follow from its hints"),
    ([-1, -1, 5], [-3], "a resolvent does not follow from its hints"),
]


@pytest.mark.parametrize(("partner", "hints", "flaw"), TAUTOLOGIES)
def test_a_resolvent_that_is_always_true_needs_no_hints(partner, hints, flaw):
    """The clause `1 5`, to be resolved with clause 3; the others are refuted without it."""
    rest = [[2, 3], [-3, 4], [-2, -4], [2, -4], [-2, 4]]
    cnf = of_clauses([*rest[:2], partner, *rest[2:]], 5)
    step = [len(rest) + 2, 1, 5, 0, *hints, 0]
    refuted = packed([step, [8, -2, 0, 6, 4, 0], [9, 0, 8, 1, 2, 5, 0]])
    found = ours(cnf, refuted, ProofForm.LRAT)
    assert (found is None) == (flaw is None)
    assert flaw is None or flaw in found
    assert (replay.flaw(cnf.clauses(), 5, refuted) is None) == (flaw is None)


def test_clauses_that_need_not_be_resolved_with_may_be_listed():
    """As other checkers allow; what is deleted may not, and needs not."""
    cnf = of_clauses([[1, 2], [-1, 2], [-3, 2, -2], [1, -2], [-1, -2]], 3)
    end = [[7, 2, 0, 1, 2, 0], [8, 0, 7, 4, 5, 0]]
    for deleted, hints, is_right in (
        (b"", [-3], True),
        (b"", [-1, 5, -3], False),
        (b"", [-1, 4, -3], False),
        (b"", [-1, -3], False),
        (b"d\x06\x00", [], True),
        (b"d\x06\x00", [-3], False),
    ):
        proof_ = deleted + packed([[6, 3, 0, *hints, 0], *end])
        assert (core(cnf, proof_) is None) == is_right, hints
        assert (replay.flaw(cnf.clauses(), 5, proof_) is None) == is_right, hints


def test_two_replays_agree_on_resolvents_that_are_always_true():
    """On steps that are right by definition, and on some that are not, or were changed. What is
    accepted is also true: no assignment satisfies the formula.
    """
    source, seen, kinds = random.Random(57), {True: 0, False: 0}, Counter[str]()
    while min(seen.values()) < 40 or len(kinds) < 4 or min(kinds.values()) < 6:
        steps = Steps(source)
        for _ in range(source.randint(1, 6)):
            if source.random() < 1 / 6 and len(steps.clauses) > 1:
                steps.delete()
            steps.add(steps.clause(source.randint(1, 3)))
        for clause in ([1, 2], [1], []):
            steps.add(clause)
        content = bytes(steps.content)
        cnf = of_clauses(steps.formula, steps.variables)
        for variant in (content, *(spoiled(content, source) for _ in range(4))):
            holds = core(cnf, variant) is None
            other = replay.flaw(cnf.clauses(), cnf.num_variables + 2, variant)
            assert holds == (other is None), (steps.formula, variant.hex(), other)
            assert not (holds and has_model(steps.formula, steps.variables))
            if variant is content:
                assert holds == steps.are_right, (steps.formula, variant.hex(), other)
                kinds.update(steps.kinds if holds else ())
            seen[holds] += 1
