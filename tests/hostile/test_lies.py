"""Plugins that lie about what was proved, who proved it, and what equals what: no wrong verdict, no
traceback, no hang, and nothing that becomes of the runs of others.
"""

import itertools
import random
from dataclasses import fields, replace

import pytest
from lies_told import TRUTH, is_solution
from made_records import RUN

import nqbench
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.campaign.optimum import State
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure import validation
from nqbench.measure.cache import InstanceCache
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens
from nqbench.records.record import IDENTITY, Record

pytestmark = pytest.mark.usefixtures("lies_plugin")

ENCODINGS, BACKENDS = 40, 30
"""Seeds of liars; each lies about each of some problems."""

LIMITS = Limits(time_s=5.0, memory_bytes=2**30)


def measured(problems, encodings, backends, **more):
    """The records of these runs, in a random order, on one fork server."""
    return runner.measured(
        Campaign(
            problems=problems,
            encodings=encodings,
            backends=backends,
            repeat=1,
            limits=LIMITS,
            **more,
        ).runs()
    )


def told(seeds):
    return [f"lie-encoding:seed={seed}" if seed else "lie-encoding" for seed in seeds]


def assert_true(records):
    """What is verified is true, and who does not lie is not refuted."""
    for record in records:
        truth = TRUTH[record.family, record.n]
        if record.verdict is Verdict.VERIFIED:
            assert (record.answer is Answer.SAT) == truth, record
            assert record.checked_by is not CheckedBy.FORMULA
            if record.answer is Answer.SAT:
                assert is_solution(record), record
        if "lie" not in record.encoding + record.backend:
            assert record.verdict is Verdict.VERIFIED, record
        assert "Traceback" not in record.message
        assert "fork server" not in record.message, record.message
    return records


def of(family, *sizes):
    return [Family.named(family).of_size(n) for n in sizes]


BOARDS = {"queens": (3, 5), "peaceable-queens:k=2": (3, 4)}


def test_encodings_that_lie_neither_prove_nor_disprove():
    for family, sizes in BOARDS.items():
        honest = "sequential" if "peaceable" in family else "pairwise"
        encodings = [*told(range(ENCODINGS)), honest]
        records = assert_true(measured(of(family, *sizes), encodings, ["cadical195", "minisat22"]))
        assert len({record.verdict for record in records}) == 3  # there are lies of each kind


def test_solvers_that_lie_neither_prove_nor_disprove():
    liars = [f"lie-backend:seed={seed}" for seed in range(1, BACKENDS + 1)]
    records = assert_true(measured(of("queens", 3, 5), ["pairwise"], [*liars, "cadical195"]))
    assert {Verdict.REFUTED, Verdict.VERIFIED} <= {record.verdict for record in records}


def test_a_wrong_proof_is_not_that_of_another_solver():
    """The liar calls itself cadical195 when it writes its proof, of the same formula."""
    liars = [f"lie-backend:seed={seed}" for seed in range(1, 12)]
    board = Queens(6, "completion", placed=((0, 0), (1, 2)))
    records = measured([board], ["pairwise"], [*liars, "cadical195"])
    (honest,) = [record for record in records if record.backend == "cadical195"]
    assert (honest.answer, honest.verdict) == (Answer.UNSAT, Verdict.VERIFIED)
    assert any("proof of 'unsat' is wrong" in record.message for record in records)


def test_all_solutions_and_best_k_of_liars_are_not_verified_if_wrong():
    for task, family, honest in (
        (Task.ALL, "queens", "pairwise"),
        (Task.BEST, "peaceable-queens:k=1", "totalizer"),
    ):
        problems = of(family, 4)
        records = measured(problems, [honest], ["cadical195"], task=task)
        (right,) = ((record.solutions, record.best_k) for record in records)
        liars = [name for name in told(range(15)) if not Encoding.named(name).breaks_symmetry(None)]
        for record in measured(problems, liars, ["minisat22"], task=task):
            if record.verdict is Verdict.VERIFIED and record.answer is Answer.SAT:
                assert (record.solutions, record.best_k) == right


def test_problems_that_say_they_are_another_one_are_told_apart():
    """They all equal each other, and `queens` of 3 rows, which has no solution."""
    boards = [*of("lie-boards:k=2", 3, 4), *of("lie-boards:k=3", 3, 4, 5), Queens(3)]
    assert boards[0] == boards[1] == Queens(3)
    cache, judge = InstanceCache(2**24), certifier()
    sizes = [cache.get(each, Encoding.named("pairwise"), LIMITS).packed_bytes for each in boards]
    assert len(set(sizes)) == len(boards)
    for board, truth in zip(boards, (False, True, False, False, True, False), strict=True):
        assert judge.decide_problem(board, LIMITS).satisfiable is truth
    runs = [replace(RUN, problem=board) for board in boards]
    assert len({run.id for run in runs}) == len(boards)
    assert len({Record.of(run, "").problem_digest for run in runs}) == len(boards)


def test_a_campaign_of_such_problems_is_refused():
    boards = [*of("lie-boards:k=2", 3), Queens(3)]
    with pytest.raises(InputError, match="different problems of lie-boards:k=2 equal each other"):
        measured(boards, ["pairwise"], ["minisat22"])


def test_a_liar_about_its_title_is_judged_all_the_same():
    for record in measured(of("lie-boards:k=2", 4), ["pairwise", "sequential"], ["cadical195"]):
        assert (record.answer, record.verdict) == (Answer.SAT, Verdict.VERIFIED)
        assert is_solution(record)


@pytest.mark.parametrize("name", ["lie-name", "lie-name-later", "lie-name:seed=3"])
def test_an_encoding_with_the_name_of_another_one_is_not_used(name):
    with pytest.raises(UnavailableError, match="calls itself by another name"):
        Encoding.named(name)


@pytest.mark.parametrize("seed", range(6))
def test_no_optimum_is_proven_by_a_formula_that_forbids_too_much(seed):
    name = f"lie-bound:seed={seed}" if seed else "lie-bound"
    (found,) = nqbench.optimum("peaceable-queens:k=2", 4, encoding=name, time_limit="5s")
    assert (found.state is State.OPTIMAL) <= (found.best == 2)  # OEIS A250000
    (found,) = nqbench.optimum("queen-domination:k=5", 4, encoding=name, time_limit="5s")
    assert (found.state is State.OPTIMAL) <= (found.best == 2)  # OEIS A075458


@pytest.mark.parametrize("family", ["lie-of-k:k=1", "lie-of-name"])
def test_a_family_that_makes_another_problem_is_refused(family):
    with pytest.raises(InputError, match=r"made a(nother)? problem"):
        nqbench.optimum(family, 4)


EXPECTED = Record.of(RUN, "0" * 16)


def lies_of_workers():
    """Records that are not of the run that was asked for, in one column or several."""
    draw = random.Random(0)
    other = Record.of(replace(RUN, problem=Queens(9), backend="glucose4", seed=5), "1" * 16)
    kinds = {field.name: field for field in fields(Record)}
    for number in range(1, 4):
        for names in itertools.combinations(IDENTITY, number):
            if draw.random() < (1.0, 0.5, 0.1)[number - 1]:
                changed = {name: getattr(other, name) for name in names if name in kinds}
                yield names, replace(EXPECTED, outcome=Outcome.CRASHED, **changed)


def test_a_worker_cannot_report_another_run():
    """Whoever executes runs, here or on another machine, sends records through one gate."""
    refused = 0
    for names, record in lies_of_workers():
        differs = any(getattr(record, name) != getattr(EXPECTED, name) for name in names)
        assert (validation.flaw_of_record(record, EXPECTED) is not None) == differs, names
        refused += differs
    assert refused > 80
