"""The best k of a problem, shown from both sides."""

import json
import math
from dataclasses import replace

import pytest
from made_records import RECORD

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign import optimum
from nqbench.campaign.next_k import NEXT_K
from nqbench.campaign.optimum import Optimum, Step, family_to_optimise, search
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import (
    NOT_SHOWN_BEST,
    Answer,
    CheckedBy,
    KOrder,
    Outcome,
    Verdict,
)
from nqbench.plugins import backend_names
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.families.base import Better, Family

DOMINATION = {1: 1, 2: 1, 3: 1, 4: 2, 5: 3, 6: 3}
"""OEIS A075458."""


@pytest.mark.parametrize(
    ("family", "order"),
    [
        ("queen-domination", "linear"),
        ("queen-domination:k=0", "binary"),
        ("queen-domination:k=2", "binary"),
    ],
)
def test_the_domination_numbers_are_proven(family, order, tmp_path):
    sizes = list(DOMINATION) if order == "linear" else [1, 6]
    found = nqbench.optimum(family, sizes, search=order, results=tmp_path)
    assert [each.best for each in found] == [DOMINATION[n] for n in sizes]
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


@pytest.mark.parametrize(
    ("family", "first", "sizes", "order"),
    [
        *((family, "", list(GREATEST[family]), "linear") for family in GREATEST),
        ("squares-free", ":k=0", [3], "binary"),
        ("peaceable-queens", ":k=26", [5], "binary"),
    ],
)
def test_the_greatest_k_is_proven(family, first, sizes, order):
    found = nqbench.optimum(family + first, sizes, encoding="totalizer", search=order)
    assert [each.best for each in found] == [GREATEST[family][n] for n in sizes]
    assert all(each.is_proven and each.excluded == each.best + 1 for each in found)


def test_runs_that_are_recorded_are_not_measured_again(nqbench):
    asked = ["optimum", "--family", "queen-domination:k=6", "--n", 5, "--results", "found"]
    first = nqbench(*asked, "--json")
    assert first.returncode == 0, first.stderr
    (told,) = json.loads(first.stdout)
    assert (told["best"], told["excluded"], told["state"]) == (3, 2, "optimal")
    assert told["runs"] == 5  # 6, 5, 4 and 3 queens, and not 2
    again = nqbench(*asked, "--json")
    assert json.loads(again.stdout) == [told]  # with the same times
    halved = json.loads(nqbench(*asked, "--search", "binary", "--json").stdout)
    assert [(each["best"], each["state"]) for each in halved] == [(3, "optimal")]


@pytest.mark.parametrize(
    ("family", "n", "best", "encoding"),
    [
        ("queen-domination:k=10", 6, 3, "totalizer"),
        ("queen-domination:k=1", 4, 2, "sorting-network"),
        ("queen-domination:independent=yes:k=9:symmetry=eight", 6, 4, "parallel-counter"),
        ("squares-free:k=0", 4, 12, "totalizer"),
        ("peaceable-queens:k=1", 5, 4, "sorting-network"),
        ("peaceable-queens:k=6", 5, 4, "parallel-counter"),
    ],
)
def test_one_solver_finds_the_same_k(family, n, best, encoding, tmp_path):
    """From k that are too easy, too hard, or without any constraint. OEIS A075324: 4 independent
    queens.
    """
    (found,) = nqbench.optimum(family, n, search="incremental", encoding=encoding, results=tmp_path)
    assert (found.best, found.is_proven) == (best, True)
    assert len(found.solution) >= best
    asked = abs(int(family.partition("k=")[2].partition(":")[0]) - best)
    is_too_hard = found.steps[0].has_solution is False
    assert len(found.records) == (asked + 1 if is_too_hard else 1)
    records = nqbench.read(tmp_path)
    assert set(records["task"]) == {"best"}
    assert set(records["verdict"]) == {"verified"}
    assert records["best_k"].drop_nulls().to_list() == [best]
    with pytest.raises(InputError, match="needs several k"):
        nqbench.plot(records, "time-over-k")


def test_every_solver_that_takes_more_clauses_finds_the_best_k():
    problems = [Family.named("queen-domination:k=9").of_size(5)]
    backends = [
        backend.name
        for backend in map(Backend.named, backend_names())
        if backend.tightens and not why_unavailable(Backend.named, backend.name)
    ]
    assert len(backends) >= 10
    found = nqbench.run(
        problems,
        task="best",
        encodings=["totalizer"],
        backends=backends,
        repeat=1,
        shuffle_clauses=3,
    )
    assert dict(found.select("backend", "best_k").rows()) == dict.fromkeys(backends, 3)
    assert set(found["verdict"]) == {"verified"}


@pytest.mark.usefixtures("faulty_plugin")
@pytest.mark.parametrize(
    ("backend", "answer", "verdict"),
    [
        ("faulty-settles", "sat", "refuted"),
        ("faulty-gives-up", "unknown", "unchecked"),
        ("faulty-liar-unsat", None, None),
    ],
)
def test_a_solver_that_stops_too_early_is_not_believed(backend, answer, verdict):
    asked = {"task": "best", "encodings": ["totalizer"], "backends": [backend], "repeat": 1}
    problem = Family.named("queen-domination:k=6").of_size(5)
    if answer is None:
        with pytest.raises(InputError, match="cannot take clauses after an answer"):
            nqbench.run([problem], **asked)
        return
    (record,) = nqbench.run([problem], **asked).iter_rows(named=True)
    assert (record["answer"], record["verdict"]) == (answer, verdict), record["message"]


def test_that_a_k_is_the_best_is_checked_later(tmp_path):
    asked = {"task": "best", "encodings": ["totalizer"], "backends": ["cadical195"], "repeat": 1}
    problem = Family.named("queen-domination:k=6").of_size(5)
    (record,) = nqbench.run([problem], results=tmp_path, check="later", **asked).iter_rows(
        named=True
    )
    assert (record["best_k"], record["verdict"]) == (3, "unchecked")
    assert record["message"].startswith(NOT_SHOWN_BEST)
    assert "1 k may not be the best" in str(nqbench.Results(tmp_path).findings())
    nqbench.check(tmp_path)
    (record,) = nqbench.read(tmp_path).iter_rows(named=True)
    assert (record["best_k"], record["verdict"]) == (3, "verified")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--n", 4, "--encoding", "totalizer"], "n=4 has no k or objective to optimise"),
        (["--family", "squares-free", "--n", 4, "--encoding", "sequential"], "choose totalizer"),
        (["--family", "squares-free", "--n", 4, "--backend", "cp-sat-cover"], "after an answer"),
    ],
)
def test_a_task_that_does_not_fit_is_one_clear_line(words, said, nqbench):
    told = nqbench("run", *words, "--task", "best", "--results", "none")
    assert told.returncode == 2
    assert said in told.stderr
    assert told.stderr.count("\n") == 1


def ended(k, answer, verdict=Verdict.VERIFIED):
    record = replace(
        RECORD, outcome=Outcome.FINISHED, answer=answer, verdict=verdict, checked_by=CheckedBy.PROOF
    )
    return Step.of(k, None, record)


class Numbered:
    """A family and its problem in one, with this k."""

    def __init__(self, better, k, largest_k):
        self.better, self.k, self.largest_k = better, k, largest_k

    def with_k(self, k):
        return Numbered(self.better, self.k if k is None else k, self.largest_k)


LARGEST = 17


@pytest.fixture
def searched(monkeypatch):
    """Search for this best k from the first one; the `left_open` ones have no answer."""
    monkeypatch.setattr(optimum, "problem_of_k", lambda family, _, k=None: family.with_k(k))

    def of(better, first, best, order, *, left_open=(), largest=LARGEST):
        def ask(problem):
            if problem.k in left_open:
                return ended(problem.k, Answer.UNKNOWN).record
            there = problem.k >= best if better is Better.LESS else problem.k <= best
            return ended(problem.k, Answer.SAT if there else Answer.UNSAT).record

        steps = list(search(Numbered(better, first, largest), 1, ask, order))
        assert len(steps) == len({step.k for step in steps})
        return Optimum("numbered", 1, better, steps)

    return of


@pytest.mark.parametrize("order", NEXT_K)
@pytest.mark.parametrize("better", Better)
@pytest.mark.parametrize("first", [0, 2, 5, 9, 17])
@pytest.mark.parametrize("best", [0, 3, 8, 16])
def test_the_search_ends_at_the_best_k_from_wherever_it_begins(
    better, first, best, order, searched
):
    found = searched(better, first, best, order)
    assert (found.best, found.is_proven) == (best, True)


@pytest.mark.parametrize("better", Better)
@pytest.mark.parametrize("first", [0, 500, 9999, 10001])
@pytest.mark.parametrize("best", [1, 499, 9998])
def test_a_binary_search_takes_a_logarithmic_number_of_steps(better, first, best, searched):
    """It takes at most log2(d) + 2 steps to get over a distance d, and log2(d) to halve it."""
    found = searched(better, first, best, KOrder.BINARY, largest=10001)
    assert found.is_proven
    assert len(found.steps) <= 2 * math.log2(abs(first - best) + 2) + 2


@pytest.mark.parametrize("better", Better)
@pytest.mark.parametrize("first", [0, 1, 5, 8, 16, LARGEST])
def test_a_binary_search_finds_out_all_that_open_steps_allow(better, first, searched):
    """Around an interval of open k: the best k with a solution, and the next one without."""
    for best in (1, 6, 7, 15):
        for begin in range(1, LARGEST - 1):
            left_open = range(begin, min(begin + 4, LARGEST - 1))
            found = searched(better, first, best, KOrder.BINARY, left_open=left_open)
            closed = [k for k in range(LARGEST + 1) if k not in left_open]
            if better is Better.LESS:
                expected = min(k for k in closed if k >= best), max(k for k in closed if k < best)
            else:
                expected = max(k for k in closed if k <= best), min(k for k in closed if k > best)
            assert (found.best, found.excluded) == expected
            assert found.is_proven == ({best, best + better.step}.isdisjoint(left_open))


def test_a_search_without_any_answer_ends(searched):
    for better in Better:
        for order, most in ((KOrder.LINEAR, 1), (KOrder.BINARY, 6)):
            found = searched(better, 5, 3, order, left_open=range(LARGEST + 1))
            assert (found.best, found.excluded, found.is_proven) == (None, None, False)
            assert len(found.steps) <= most


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


def test_a_linear_search_ends_where_a_step_is_open(searched):
    found = searched(Better.LESS, 4, 0, KOrder.LINEAR, left_open=[3])
    assert [step.k for step in found.steps] == [4, 3]
    assert not found.is_proven


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
    wrong = nqbench("optimum", "--family", "queen-domination", "--n", 4, "--encoding", "bitwise")
    assert wrong.returncode == 2
    assert "does not count" in wrong.stderr
