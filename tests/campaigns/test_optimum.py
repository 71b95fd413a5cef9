"""The best k of a problem, shown from both sides."""

import json
from dataclasses import replace

import pytest
from made_records import RECORD

import nqbench
from nqbench.campaign import optimum
from nqbench.campaign.optimum import Optimum, Step, family_to_optimise, search
from nqbench.errors import InputError
from nqbench.families.base import Better
from nqbench.vocabulary import Answer, CheckedBy, Outcome, Verdict

DOMINATION = {3: 1, 4: 2, 5: 3, 6: 3, 7: 4}
"""OEIS A075458."""


def test_the_domination_numbers_are_proven(tmp_path):
    found = nqbench.optimum("queen-domination", "3..7", results=tmp_path)
    assert {each.n: each.best for each in found} == DOMINATION
    for each in found:
        assert each.is_proven
        assert each.excluded == each.best - 1
        problem = next(step.problem for step in each.steps if step.k == each.best)
        assert problem.violation(each.solution) is None
        assert len(each.solution) == each.best
    records = nqbench.read(tmp_path)
    assert set(records["verdict"]) == {"verified"}
    assert len(records) == sum(len(each.steps) for each in found)


GREATEST = {
    "squares-free": {1: 1, 2: 3, 3: 7, 4: 12, 5: 17},
    "squares-free:squares=all": {1: 1, 2: 3, 3: 6, 4: 10, 5: 15},
    "peaceable-queens": {1: 0, 2: 0, 3: 1, 4: 2, 5: 4, 6: 5},
}
"""OEIS A227133, A240443, A250000."""


@pytest.mark.parametrize("family", GREATEST)
def test_the_greatest_k_is_proven(family):
    found = nqbench.optimum(family, list(GREATEST[family]), encoding="totalizer")
    assert {each.n: each.best for each in found} == GREATEST[family]
    assert all(each.is_proven and each.excluded == each.best + 1 for each in found)


def test_runs_that_are_recorded_are_not_measured_again(nqbench):
    asked = ["optimum", "--family", "queen-domination:k=6", "--n", 5, "--results", "found"]
    first = nqbench(*asked, "--json")
    assert first.returncode == 0, first.stderr
    (told,) = json.loads(first.stdout)
    assert (told["best"], told["excluded"], told["state"]) == (3, 2, "proven")
    assert told["runs"] == 5  # 6, 5, 4 and 3 queens, and not 2
    again = nqbench(*asked, "--json")
    assert json.loads(again.stdout) == [told]  # with the same times


def ended(k, answer, verdict=Verdict.VERIFIED):
    record = replace(
        RECORD, outcome=Outcome.FINISHED, answer=answer, verdict=verdict, checked_by=CheckedBy.PROOF
    )
    return Step(k, None, record)


@pytest.mark.parametrize("better", Better)
@pytest.mark.parametrize("first", [2, 5, 9])
@pytest.mark.parametrize("best", [0, 3, 8])
def test_the_search_ends_at_the_best_k_from_wherever_it_begins(better, first, best, monkeypatch):
    monkeypatch.setattr(optimum, "bound", lambda problem: problem.k)
    monkeypatch.setattr(optimum, "with_bound", lambda family, k: Numbered(better, k))

    def ask(problem):
        there = problem.k >= best if better is Better.LESS else problem.k <= best
        return ended(problem.k, Answer.SAT if there else Answer.UNSAT).record

    steps = list(search(Numbered(better, first), 1, ask))
    found = Optimum("numbered", 1, better, steps)
    assert (found.best, found.is_proven) == (best, True)
    assert len(steps) == len({step.k for step in steps})


class Numbered:
    """A family and its problem in one, with this k."""

    def __init__(self, better, k):
        self.better, self.k = better, k

    def of_size(self, n):
        return self


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Answer.UNSAT, Verdict.UNCHECKED),
        (Answer.UNKNOWN, Verdict.UNCHECKED),
        (Answer.SAT, Verdict.REFUTED),
    ],
)
def test_what_is_not_verified_proves_nothing(answer, verdict):
    """Also if a solver says that there is no better solution."""
    found = Optimum("f", 1, Better.LESS, [ended(3, Answer.SAT), ended(2, answer, verdict)])
    assert (found.best, found.excluded, found.is_proven) == (3, None, False)


def test_the_search_ends_where_a_step_is_open(monkeypatch):
    monkeypatch.setattr(optimum, "bound", lambda problem: problem.k)
    monkeypatch.setattr(optimum, "with_bound", lambda family, k: Numbered(Better.LESS, k))
    answers = {4: Answer.SAT, 3: Answer.UNKNOWN}
    steps = list(search(Numbered(Better.LESS, 4), 1, lambda p: ended(p.k, answers[p.k]).record))
    assert [step.k for step in steps] == [4, 3]
    assert not Optimum("f", 1, Better.LESS, steps).is_proven


def test_an_open_optimum_is_exit_status_1(nqbench):
    asked = ["optimum", "--family", "queen-domination", "--n", 14, "--results", "found"]
    done = nqbench(*asked, "--time-limit", "50ms")
    assert done.returncode == 1
    assert "open" in done.stdout
    assert "time limit" in done.stderr


def test_a_family_without_k_is_refused(nqbench):
    with pytest.raises(InputError, match="family 'queens' has no k to optimise: choose "):
        family_to_optimise("queens")
    assert nqbench("optimum", "--family", "queens", "--n", 4).returncode == 2
    wrong = nqbench("optimum", "--family", "queen-domination", "--n", 4, "--encoding", "product")
    assert wrong.returncode == 2
    assert "does not count" in wrong.stderr
