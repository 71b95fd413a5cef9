"""Evidence has a subject and an owner: no answer is verified, and no optimum proven, by evidence
about something else.
"""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from addons import needs_addon
from measuring import measure

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.campaign.optimum import State
from nqbench.checking import exhaustive, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.checking.verify import ProofState
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import Answer, CheckedBy, ShownBy, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure import later_checks
from nqbench.measure.cache import InstanceCache
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.base import Family
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens
from nqbench.records.store import Store

pytestmark = pytest.mark.usefixtures("lies_plugin")

LIMITS = Limits(time_s=10.0, memory_bytes=2**30)
BOARD = Queens(6, "completion", placed=((0, 1),))
"""It has a solution, of which no theorem tells."""


def measured(problems, encodings, backends=("cadical195",)):
    runs = Campaign(
        problems=problems, encodings=encodings, backends=backends, limits=LIMITS, repeat=1
    ).runs()
    return {record.encoding: record for record in runner.measured(runs)}


DIGESTS = ["lie-digest-rules", "lie-digest-pairwise", "lie-digest-unsat"]
LAZY = ["lie-lazy", "lie-lazy-list", "lie-lazy-once"]


def test_a_formula_with_the_digest_of_another_one_proves_nothing_about_it():
    """Neither of the rules, nor of another encoding, nor of rules without a solution."""
    records = measured([BOARD], [*DIGESTS, "pairwise"])
    honest = records.pop("pairwise")
    assert (honest.answer, honest.verdict) == (Answer.SAT, Verdict.VERIFIED)
    for record in records.values():
        assert (record.answer, record.verdict) == (Answer.UNSAT, Verdict.REFUTED)
    digests = {record.instance_digest for record in records.values()}
    assert digests.isdisjoint({honest.instance_digest})
    assert len(digests) == 1  # they have the same clauses, whatever they say


def test_the_digest_in_a_record_is_that_of_what_was_solved():
    encoded = InstanceCache(0).get(BOARD, Encoding.named("lie-digest-rules"), LIMITS)
    assert encoded.digest == encoded.instance.digest()
    assert encoded.digest != Encoding.named("lie-digest-rules").digest(BOARD)


def test_clauses_that_are_added_later_are_part_of_what_was_proved():
    problem = Family.named("peaceable-queens:k=2").of_size(4)
    for record in measured([problem], LAZY).values():
        assert record.answer in (Answer.SAT, Answer.UNSAT)
        assert (record.verdict is Verdict.VERIFIED) == (record.answer is Answer.SAT)
    for record in measured([problem], ["lie-lazy-native"], ["minicard", "cadical195"]).values():
        assert (record.answer, record.verdict) == (Answer.UNSAT, Verdict.REFUTED)


def test_a_proof_with_such_clauses_is_not_one_of_the_formula_without():
    board = Family.named("peaceable-queens:k=2").of_size(4)
    encoded = InstanceCache(0).get(board, Encoding.named("lie-lazy"), LIMITS)
    judge, solver = certifier(), Backend.named("cadical195")
    assert judge.proof(solver, encoded.claimed, LIMITS).state is ProofState.CHECKED
    assert judge.proof(solver, encoded.instance, LIMITS).state is not ProofState.CHECKED
    assert judge.decide_problem(board, LIMITS).satisfiable is True


@pytest.mark.parametrize("encoding", [*DIGESTS[:1], *LAZY[:2], "lie-forbids"])
def test_no_optimum_is_proven_with_borrowed_evidence(encoding):
    (found,) = nqbench.optimum("peaceable-queens:k=3", 5, encoding=encoding, time_limit="10s")
    assert (found.best, found.state) != (3, State.OPTIMAL)  # the greatest is 4, OEIS A250000


@pytest.mark.parametrize("search", ["linear", "binary", "incremental"])
def test_a_proof_about_a_formula_only_gives_the_best_found(search, nqbench):
    words = ["--family", "lie-no-rules:k=4", "--n", 4, "--encoding", "lie-forbids"]
    words += ["--search", search, "--results", "r"]
    done = nqbench("optimum", *words, "--json", plugin=False)
    assert done.returncode == 1, done
    (told,) = json.loads(done.stdout)
    assert (told["best"], told["state"]) == (4, "claimed")  # the least is 2, OEIS A075458
    assert (told["best_shown_by"], told["excluded_shown_by"]) == ("rules", "formula only")
    again = nqbench("optimum", *words, plugin=False)
    assert (again.returncode, "claimed" in again.stdout) == (1, True)
    assert "optimal" not in again.stdout


def test_a_problem_of_more_options_than_the_rules_can_be_stated_for_is_not_decided(monkeypatch):
    problem = Family.named("queen-domination:k=26").of_size(26)
    monkeypatch.setattr(reference, "LARGEST_WITHOUT_CLASH", 26**2 - 1)
    known = certifier().decide_problem(problem, LIMITS)
    assert (known.satisfiable, known.source) == (None, CheckedBy.NONE)


def test_a_proof_about_the_rules_that_reaches_its_limit_is_named(monkeypatch):
    """By pigeons in queens' clothing: no short proof, no theorem, and no small search."""

    def gives_up(*_):
        raise OutOfBudget

    monkeypatch.setattr(Pigeonhole, "satisfiable", None)
    monkeypatch.setattr(Pigeonhole, "num_solutions", None)
    monkeypatch.setattr(exhaustive, "has_solution", gives_up)
    known = certifier(proofs=ProofLimits(time_s=1.0)).decide_problem(Pigeonhole(13), LIMITS)
    assert (known.satisfiable, known.source) == (None, CheckedBy.NONE)
    stopped = "proof about the rules not checked: stopped at the time limit of 1 s"
    assert known.message == stopped


def test_what_shows_each_side_is_said_for_an_honest_optimum():
    (found,) = nqbench.optimum("queen-domination:k=3", 4)
    assert (found.best_shown_by, found.excluded_shown_by) == (ShownBy.RULES, ShownBy.SEARCH)
    (zero,) = nqbench.optimum("peaceable-queens:k=0", 1)
    assert (zero.best, zero.state, zero.excluded_shown_by) == (0, State.OPTIMAL, ShownBy.SEARCH)


ASKED = ["encode", "lazy_clauses", "shows_options", "breaks_symmetry"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return tmp_path_factory.mktemp("unchecked")


@pytest.fixture
def unchecked(made, tmp_path):
    """A store with unchecked answers of an encoding and of a family that misbehave."""
    if not (made / "nqbench.db").exists():
        answers = [
            ([Family.named("torus").of_size(6)], ["lie-misbehaves", "alo-row"]),
            ([Family.named("lie-misbehaved:k=2").of_size(3)], ["sequential"]),
        ]
        with Store(made / "nqbench.db") as store:
            for problems, encodings in answers:
                measure(
                    store,
                    problems,
                    ["cadical195"],
                    encodings=encodings,
                    limits=Limits(time_s=1.0, memory_bytes=2**30),
                )
    shutil.copy(made / "nqbench.db", tmp_path)
    return tmp_path


def verdicts(folder):
    with Store(folder / "nqbench.db") as store:
        found = later_checks.check(store)
    return {
        (each.record.encoding, each.record.family): (each.check.verdict, each.check.message)
        for each in found
    }


HONEST = ("alo-row", "torus")


@pytest.mark.parametrize("how", ["raise", "hang", "exit"])
@pytest.mark.parametrize("what", ASKED)
def test_an_encoding_cannot_end_or_hold_up_the_checks(what, how, unchecked, monkeypatch):
    monkeypatch.setenv("LIES", f"{what} {how}")
    found = verdicts(unchecked)
    assert found[HONEST][0] is Verdict.VERIFIED
    verdict, message = found["lie-misbehaves", "torus"]
    assert verdict is Verdict.UNCHECKED
    assert "while encoding: " in message


@pytest.mark.parametrize("how", ["raise", "exit"])
@pytest.mark.parametrize("what", ["rules", "satisfiable", "title", "violation"])
def test_a_family_cannot_end_the_checks(what, how, unchecked, monkeypatch):
    monkeypatch.setenv("LIES", f"{what} {how}")
    found = verdicts(unchecked)
    assert found[HONEST][0] is Verdict.VERIFIED
    verdict, message = found["sequential", "lie-misbehaved:k=2"]
    assert verdict is not Verdict.REFUTED
    assert message
    if (what, how) == ("violation", "raise"):
        assert "family 'lie-misbehaved:k=2' cannot check a solution: ZeroDivisionError" in message


def test_a_family_that_hangs_is_interrupted_like_any_other_check(unchecked):
    with subprocess.Popen(
        [sys.executable, "-m", "nqbench", "check", "--results", unchecked],
        env=os.environ | {"LIES": "rules hang"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        said = process.stderr.readline()
        while "lie-misbehaved" not in said:  # which is being checked
            said = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Traceback" not in rest


@needs_addon("race")
@pytest.mark.parametrize("what", ["why_not", "version"])
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--backend", "minisat22", "--no-plots"),
        ("race", "--backend", "minisat22,glucose4"),
        ("solve", "--backend", "minisat22"),
        ("certify",),
    ],
    ids=lambda words: words[0],
)
def test_a_plugin_that_fails_where_runs_are_planned_is_one_line(words, what, nqbench, monkeypatch):
    monkeypatch.setenv("LIES", f"{what} raise")
    command, *rest = words
    named = ["lie-plan"] if command == "certify" else ["--encoding", "lie-plan"]
    told = nqbench(command, *named, "--n", 5, *rest, plugin=False)
    if told.returncode == 0:  # the version matters only where it is recorded
        assert (what, command in {"certify", "solve"}) == ("version", True)
        return
    assert told.returncode == 2
    *_, line = told.stderr.splitlines()
    assert line.startswith("nqbench: the plugin in lies.py, line ")
    assert line.endswith("raised ZeroDivisionError: on purpose")
    assert "Traceback" not in told.stderr
