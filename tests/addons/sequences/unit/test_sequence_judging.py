"""Judging the answers to sequences, against brute force; three planted faults."""

import itertools
import random
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from nqbench.addons.sequences.judging import Question, SequenceJudge, cores_formula
from nqbench.addons.sequences.replay import Replay
from nqbench.addons.sequences.sequence import read_sequence
from nqbench.addons.sequences.steps import Step, of_log, read_steps, to_column, to_log
from nqbench.backends.base import Backend
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import NOT_YET, Answer, CheckedBy, Verdict
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.cnf import formulas

LIMITS = Limits(time_s=30.0)
TEXT = """p icnf
i 1 2 0
i -1 3 0
q -3 0
q -3 -2 4 0
i -3 0
q 5 0
q -2 5 0
"""


def sequence_of(text=TEXT):
    return read_sequence(text.encode(), "a.icnf")


def sat(*literals):
    values = np.array([literal > 0 for literal in sorted(literals, key=abs)])
    return Step(Answer.SAT, 0.1, 0.2, (), np.packbits(values).tobytes(), len(values))


def unsat(*core):
    return Step(Answer.UNSAT, 0.1, 0.2, core=list(core))


RIGHT = [sat(-1, 2, -3, 4, 5), unsat(-3, -2), sat(-1, 2, -3, 4, 5), unsat(-2)]


def check(steps, answer=Answer.UNSAT, text=TEXT, **more):
    judge = SequenceJudge(sequence_of(text))
    return judge.check(steps, answer, certifier(), LIMITS, **more)


def test_many_models_are_checked_under_limits(monkeypatch, tmp_path):
    """Apart from the process that has to say what it does."""
    monkeypatch.setattr("nqbench.addons.sequences.judging._WORK_AT_ONCE", 0)
    assert check(RIGHT).verdict is Verdict.VERIFIED
    checked = check([RIGHT[0], RIGHT[1], sat(-1, 2, 3, 4, -5), RIGHT[3]])
    assert checked.message == "query 3 (line 7): its model breaks the assumption 5"
    monkeypatch.setattr(SequenceJudge, "_broken_by", lambda *_: time.sleep(60))
    judge = SequenceJudge(sequence_of())
    checked = judge.check(RIGHT, Answer.UNSAT, certifier(), Limits(time_s=0.2))
    assert checked.verdict is Verdict.UNCHECKED
    assert checked.message == "the models are not checked: stopped at the time limit of 0.2 s"
    log = to_log(judge.sequence, RIGHT)
    (file := tmp_path / "a.icnf").write_text(TEXT)
    with closing(Replay(*formulas(file))) as replay:
        for said, verdict in ((NOT_YET, Verdict.VERIFIED), (checked.message, Verdict.UNCHECKED)):
            later = replay.check_log(log, Answer.UNSAT, said, certifier(), LIMITS)
            assert later.verdict is verdict  # its models are not kept


def test_right_answers_are_verified_by_one_proof():
    checked = check(RIGHT)
    assert (checked.verdict, checked.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF)
    assert not checked.message


@pytest.mark.parametrize(
    ("number", "step", "message"),
    [
        (0, sat(1, 2, -3, 4, 5), "query 1 (line 4): its model falsifies the clause -1 3"),
        (2, sat(-1, 2, -3, 4, -5), "query 3 (line 7): its model breaks the assumption 5"),
        (2, sat(-1, 2, -3, 4), "query 3 (line 7): its model has 4 values for 5 variables"),
        (1, unsat(-3), "query 2 (line 5): 'unsat', but the clauses have a model with its core -3"),
        # Right one query later, when the clause -3 is there.
        (1, unsat(-2), "query 2 (line 5): 'unsat', but the clauses have a model with its core -2"),
        (0, unsat(-3), "query 1 (line 4): 'unsat', but the clauses have a model with its core -3"),
        (2, unsat(), "query 3 (line 7): 'unsat', but the clauses have a model"),
        (1, unsat(-3, -2, 1), "query 2 (line 5): the core has 1, which was not assumed"),
    ],
)
def test_a_planted_fault_is_named_with_its_query(number, step, message):
    steps = [*RIGHT]
    steps[number] = step
    checked = check(steps)
    assert checked.verdict is Verdict.REFUTED
    assert checked.message == message


def test_a_worker_cannot_leave_out_queries():
    assert check(RIGHT[:2]).message == "2 of 4 queries answered"
    assert check(RIGHT, Answer.SAT).verdict is Verdict.REFUTED
    assert check([], Answer.UNSAT).verdict is Verdict.REFUTED
    assert check(RIGHT * 2).verdict is Verdict.REFUTED


def test_what_was_stopped_is_judged_so_far():
    stopped = check(RIGHT[:2], None)
    assert stopped.verdict is Verdict.UNCHECKED
    assert stopped.message == "no answer to query 3 (line 7) of 4"
    wrong = check([replace(RIGHT[0], model=b"\0")], None)
    assert wrong.message.startswith("query 1 (line 4): its model falsifies the clause 1 2; no answ")
    unknown = [*RIGHT[:2], Step(Answer.UNKNOWN, 0.1, 0.2)]
    assert check(unknown, Answer.UNKNOWN).message == "no answer to query 3 (line 7) of 4"


def test_without_a_certifier_only_models_are_judged():
    judge = SequenceJudge(sequence_of())
    assert judge.check(RIGHT, Answer.UNSAT, None, LIMITS).message == "not checked yet"
    wrong = [unsat(), *RIGHT[1:]]
    wrong[2] = sat(-1, 2, -3, 4, -5)
    assert judge.check(wrong, Answer.UNSAT, None, LIMITS).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("line", "said", "message"),
    [
        ("q -3 0", "s UNSATISFIABLE\nu -3 0", "query 1 (line 4): it is sat"),
        (
            "q -3 0",
            "s SATISFIABLE\nm 1 -3 0",
            "query 1 (line 4): its model does not satisfy",
        ),
        (
            "q -3 -2 4 0",
            "s UNSATISFIABLE\nu 4 0",
            "query 2 (line 5): 'unsat', but the clauses have",
        ),
        ("q -3 -2 4 0", "s UNSATISFIABLE\nu -2 -3 0", ""),
        ("q -3 0", "s SATISFIABLE\nm -1 2 0", ""),
    ],
)
def test_answers_in_the_file_are_claims(line, said, message):
    checked = check(RIGHT, text=TEXT.replace(f"{line}\n", f"{line}\n{said}\n", 1))
    assert checked.verdict is Verdict.VERIFIED
    prefix = "the file is wrong about " if message else ""
    assert checked.message.startswith(prefix + message)
    assert bool(checked.message) == bool(message)


def models(clauses, variables):
    for values in itertools.product((False, True), repeat=variables):
        if all(any(values[abs(v) - 1] == (v > 0) for v in clause) for clause in clauses):
            yield values


@pytest.mark.parametrize("seed", range(20))
def test_the_formula_of_cores_is_unsatisfiable_if_and_only_if_all_are_right(seed):
    """Against brute force, on small sequences with right and wrong cores."""
    source = random.Random(seed)
    literals = [v for variable in (1, 2, 3, 4) for v in (variable, -variable)]
    lines, so_far, questions, is_right = ["i 1 2 3 4 0"], [[1, 2, 3, 4]], [], []
    for number in range(4):
        for _ in range(source.randint(0, 3)):
            clause = source.sample(literals, source.randint(1, 3))
            so_far.append(clause)
            lines.append(" ".join(map(str, ("i", *clause, 0))))
        core = source.sample(literals, source.randint(0, 3))
        lines.append(" ".join(map(str, ("q", *core, 0))))
        questions.append(Question(number, frozenset(core)))
        is_right.append(not any(models([*so_far, *([v] for v in core)], 4)))
    sequence = sequence_of("\n".join(lines))
    for chosen in itertools.product((False, True), repeat=4):
        some = [question for question, take in zip(questions, chosen, strict=True) if take]
        if some:
            formula = cores_formula(sequence, some)
            has_model = Backend.named("cadical195").load(formula).solve() is Answer.SAT
            assert has_model is not all(itertools.compress(is_right, chosen))


def test_steps_survive_a_cut_and_a_log():
    import io

    from nqbench.addons.sequences.steps import write_step

    file = io.BytesIO()
    for step in RIGHT:
        write_step(file, step)
    content = file.getvalue()
    assert list(read_steps(content)) == RIGHT
    assert list(read_steps(content[:-1])) == RIGHT[:-1]
    assert list(read_steps(b"\xff" * 100)) == []
    assert not list(read_steps(content.replace(b"unsat", b"UNSAT", 1)))[1:]
    again = of_log(to_log(sequence_of(), RIGHT))
    assert [(step.answer, step.core) for step in again] == [(s.answer, s.core) for s in RIGHT]
    assert check(again, has_models=False).verdict is Verdict.VERIFIED
    with pytest.raises(InputError, match="no queries"):
        of_log(b"something that was printed\n")


def test_the_column_has_the_slowest_and_the_last():
    text = "".join(f"q {number} 0\n" for number in range(1, 101))
    steps = [Step(Answer.SAT, 0.0, 1.0 if number == 40 else 0.5) for number in range(100)]
    column = to_column(sequence_of(text), steps).split()
    assert len(column) == 64
    assert "41@41:1" in column
    assert column[-1] == "100@100:0.5"
    assert to_column(sequence_of(text), []) is None
