"""The wall between encoders and judge: a fault of an encoder or a cover cannot confirm itself."""

import os
import sys
from itertools import product

import numpy as np
import pytest
from addons import is_here, needs_addon
from measuring import without_notes_on_time
from places import ROOT

import nqbench
from nqbench.checking import exhaustive, oracle, reference
from nqbench.checking.verify import Readout, check_sat
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import CheckedBy, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.encodings.pairwise import Pairwise
from nqbench.measure import later_checks
from nqbench.measure.implication.steps import State
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge, certifier
from nqbench.plugins import family_names
from nqbench.plugins.loading import _entry_points
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.colouring import Colouring, queen
from nqbench.problems.families.langford import Langford
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.families.regions import Regions
from nqbench.problems.queens import Queens
from nqbench.records.store import Store
from nqbench.testing import SMALL_BOARDS, check_family, solutions
from nqbench.testing.brute_force import SMALL_COVERS

if is_here("certify"):
    from nqbench.addons.certify.certificate import Result
    from nqbench.addons.certify.examiner import certificates

WALL = ROOT / "tests" / "helpers" / "wall"
LARGE = Queens(33, "completion", placed=((0, 0),))
"""A board with solutions, of which no theorem and no exhaustive count knows."""

LIMITS = Limits(time_s=60.0)

pytestmark = pytest.mark.usefixtures("called_directly")


@pytest.fixture
def wall():
    """Install the plugin with the planted faults; returns its module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(WALL)
        patch.setenv("PYTHONPATH", str(WALL))
        _entry_points.cache_clear()
        import wall as module

        yield module
        sys.modules.pop("wall")
    _entry_points.cache_clear()  # after the plugin is gone from the path


def rows(problems, encodings, backends=("cadical195",), **options):
    """The records of a campaign."""
    records = nqbench.run(
        list(problems), encodings=list(encodings), backends=list(backends), repeat=1, pin=False,
        time_limit=60, **options,
    )  # fmt: skip
    return records.sort("encoding", "backend", "instance").to_dicts()


FAULTS = {"pairwise": "pairwise", "lines": "product", "stamp": "sequential"}
"""Each fault of the plugin, and an encoding that has it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_all_encoders_share_is_not_confirmed_by_the_judge(fault, wall, monkeypatch):
    """The solver's proof holds; its formula has no model, and the problem has solutions."""
    monkeypatch.setattr(*wall.FAULTS[fault])
    run = LoadedRun.named(LARGE, FAULTS[fault], "cadical195", Task.FIRST, LIMITS)
    check = RunJudge().check_unsat(run)
    assert (check.verdict, check.checked_by) == (Verdict.REFUTED, CheckedBy.BOARD)
    assert check.message == f"'unsat', though the proof holds, but {LARGE} has a solution"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_campaign_with_such_a_fault_verifies_nothing_wrong(fault, wall, monkeypatch):
    monkeypatch.setenv("NQBENCH_WALL", f"{fault}:{os.getpid()}")
    encodings = {"wall-loads", FAULTS[fault]}
    found = rows([LARGE], encodings, ("cadical195", "minisat22"))
    wrong = [row for row in found if row["answer"] == "unsat"]
    assert {row["encoding"] for row in wrong} >= {FAULTS[fault]}
    assert {row["verdict"] for row in wrong} == {"refuted"}
    assert all("has a solution" in row["message"] for row in wrong)


@needs_addon("certify")
@pytest.mark.parametrize("fault", FAULTS)
def test_certify_names_such_a_fault(fault, wall, monkeypatch):
    monkeypatch.setattr(*wall.FAULTS[fault])
    (found,) = certificates(Encoding.named(FAULTS[fault]), [Queens(5)], LIMITS)
    assert found.result is Result.REFUTED
    assert found.every_solution.state is State.REFUTED
    assert found.every_solution.message == "forbids a solution"


def test_certify_proves_pairwise_about_the_rules_and_not_about_itself(monkeypatch):
    monkeypatch.setattr(Pairwise, "encode", None)
    formula = reference.clauses(Queens(5).rules())
    assert exhaustive.count(Queens(5)) == len(list(models(formula))) == 10  # OEIS A000170


COUNTED = {"wall-wrong-cover": 6, "wall-lost-cover": 0, "wall-no-rules": 0}
"""Latin squares of order 3 with different symbols on the main diagonal, or on both: of 12."""


@pytest.mark.parametrize("family", ["wall-wrong-cover", "wall-lost-cover"])
@pytest.mark.parametrize("encoding", ["pairwise", "product", "log"])
def test_too_few_solutions_of_a_wrong_cover_are_refuted_by_the_rules(family, encoding, wall):
    problem = Family.named(family).of_size(3)
    for row in rows([problem], [encoding], task="all"):
        assert row["verdict"] == "refuted"
        assert "has a solution" in row["message"] or "but wall" in row["message"]
        assert (row["solutions"] or 0) == COUNTED[family]


def test_a_proof_about_a_wrong_cover_is_refuted_by_the_rules(wall):
    """Whether the solver proves its answer or not."""
    problem = Family.named("wall-lost-cover").of_size(3)
    for row in rows([problem], ["pairwise", "order"], ["cadical195", "minisat22"]):
        assert (row["answer"], row["verdict"], row["checked_by"]) == ("unsat", "refuted", "oracle")


def test_it_is_refuted_later_too(wall, tmp_path):
    problem = Family.named("wall-lost-cover").of_size(3)
    rows([problem], ["pairwise"], check="later", results=tmp_path)
    with Store(tmp_path / "nqbench.db") as store:
        (checked,) = later_checks.check(store)
    assert checked.check.verdict is Verdict.REFUTED


def test_a_reference_proof_or_model_decides_where_the_search_gives_up(wall, monkeypatch):
    monkeypatch.setattr(exhaustive, "has_solution", gives_up)
    lost = Family.named("wall-lost-cover").of_size(3)
    wrong = Family.named("wall-wrong-rules").of_size(3)
    judge = certifier()
    assert judge.decide_problem(lost, LIMITS).satisfiable is True
    assert judge.decide_problem(lost, LIMITS).source is CheckedBy.RULES
    known = judge.decide_problem(wrong, LIMITS)
    assert (known.satisfiable, known.source) == (False, CheckedBy.PROOF)
    assert known.message == "by cadical195 on the rules"


def gives_up(*_):
    raise oracle.OutOfBudget


@pytest.mark.parametrize(
    ("family", "task", "message"),
    [
        ("wall-wrong-rules", "first", "but not the rules: "),
        ("wall-two-rules", "first", "violation() finds none broken, but rules() does: "),
        ("wall-wrong-rules", "all", "not a solution: "),
        ("wall-lax-rules", "all", "12 solutions, but wall-lax-rules n=3 has 216"),
    ],
)
def test_answers_of_a_right_cover_are_refuted_by_wrong_rules(family, task, message, wall):
    problem = Family.named(family).of_size(3)
    for row in rows([problem], ["pairwise", "commander"], task=task):
        assert row["verdict"] == "refuted"
        assert message in row["message"]


@needs_addon("certify")
@pytest.mark.parametrize(
    "family", ["wall-wrong-cover", "wall-lost-cover", "wall-wrong-rules", "wall-lax-rules"]
)
def test_certify_and_check_family_say_that_cover_and_rules_differ(family, wall):
    made = Family.named(family)
    (found,) = certificates(Encoding.named("pairwise"), [made.of_size(3)], LIMITS)
    assert found.result is Result.REFUTED
    with pytest.raises(
        AssertionError, match=r"by constraints\(\) .*, by rules\(\) .*, by violation\(\)"
    ):
        check_family(made, [made.of_size(3)])


def test_check_family_says_that_rules_and_violation_differ(wall):
    made = Family.named("wall-two-rules")
    with pytest.raises(AssertionError, match=r"by rules\(\) \(.*\) clash, by violation\(\) a"):
        check_family(made, [made.of_size(2)])


@needs_addon("certify")
def test_without_rules_a_proof_shows_unsat_for_the_formula_only(wall):
    """The cover of this family is wrong, and nothing here can know it."""
    problem = Family.named("wall-no-rules").of_size(3)
    proved, unproved = rows([problem], ["pairwise"], ["cadical195", "minisat22"])
    assert (proved["verdict"], proved["checked_by"]) == ("verified", "formula")
    assert proved["message"] == "formula only: the problem states no rules()"
    assert (unproved["verdict"], unproved["checked_by"]) == ("unchecked", "none")
    assert unproved["message"] == "the problem states no rules()"
    with pytest.raises(AssertionError, match=r"no rules\(\)"):
        check_family(Family.named("wall-no-rules"))
    (found,) = certificates(Encoding.named("pairwise"), [problem], LIMITS)
    assert (found.result, set(found.messages.values())) == (
        Result.OPEN, {"the problem states no rules()"},
    )  # fmt: skip
    with pytest.raises(InputError, match=r"cannot be counted .*: the problem states no rules\(\)"):
        exhaustive.count(problem)


def test_beyond_the_limits_of_the_reference_a_proof_is_about_the_formula_only(monkeypatch):
    """An honest `unsat`, which the record does not call more than it is."""
    hopeless = Queens(33, "blocked", blocked=tuple((0, column) for column in range(33)))
    run = LoadedRun.named(hopeless, "pairwise", "glucose4", Task.FIRST, LIMITS)
    shown = RunJudge().check_unsat(run)
    assert (shown.verdict, shown.checked_by) == (Verdict.VERIFIED, CheckedBy.PROOF)
    assert shown.message == ("the solver's proof holds for its formula; by cadical195 on the rules")
    monkeypatch.setattr(reference, "LARGEST", 1000)
    reference._rules.cache_clear()
    shown = RunJudge().check_unsat(run)
    assert (shown.verdict, shown.checked_by) == (Verdict.VERIFIED, CheckedBy.FORMULA)
    assert shown.message == "formula only: the problem has more than 1000 options"


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("wall-solves", "the model has 2 values for 36 squares"),
        ("wall-solves-beside", "not the one that the model's squares show"),
    ],
)
def test_a_decoder_that_solves_the_board_itself_is_refuted(encoding, message, wall):
    (row,) = rows([Queens(6)], [encoding])
    assert (row["answer"], row["verdict"]) == ("sat", "refuted")
    assert message in row["message"]


def test_a_decoder_that_cannot_be_checked_is_said_to_be_trusted(wall):
    (row,) = rows([Queens(6)], ["wall-solves-unseen"])
    assert (row["answer"], row["verdict"], row["checked_by"]) == ("sat", "verified", "board")
    assert row["message"] == "decode() is trusted: the encoding has no option_literals()"


@pytest.mark.parametrize("name", ["log", "order", "csp"])
def test_a_decoder_without_squares_is_checked_against_the_literals(name):
    """No other board is accepted than the one that the model shows, mirrored for instance."""
    for problem in (Queens(6), Family.named("latin").of_size(3), Langford(4)):
        encoding = Encoding.named(name)
        instance = encoding.encode(problem)
        literals = encoding.option_literals(problem)
        first, *others = solutions_of(problem)
        model = model_of(instance, literals, problem, first)
        right = check_sat(problem, instance, model, first, Readout(literals))
        assert (right.verdict, right.message) == (Verdict.VERIFIED, "")
        assert tuple(sorted(encoding.decode(problem, model))) == first
        for other in others:
            wrong = check_sat(problem, instance, model, other, Readout(literals))
            assert wrong.verdict is Verdict.REFUTED
            assert "is a solution, but not the one that option_literals() shows" in wrong.message


def solutions_of(problem):
    if isinstance(problem, Queens):
        return [tuple(sorted(each)) for each in solutions(problem)]
    options = problem.options
    return [tuple(options[v - 1] for v in each) for each in exhaustive.solutions(problem)]


def model_of(instance, literals, problem, solution):
    """A model of the instance that shows this solution."""
    size = getattr(instance, "num_variables", 0)
    chosen = [problem.options.index(option) for option in solution]
    if hasattr(instance, "assignment"):  # a CSP has a value for each variable and number
        values = np.zeros(instance.model_size, dtype=np.bool_)
        values[literals[chosen].ravel() - 1] = True
        return values
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=instance.clauses()) as solver:
        assert solver.solve(assumptions=literals[chosen].ravel().tolist())
        true = {v for v in solver.get_model() if v > 0}
    return np.array([v in true for v in range(1, size + 1)])


def test_runs_of_encodings_without_squares_are_verified_without_a_reservation():
    problems = [Queens(1), Queens(6), Family.named("latin").of_size(3), Langford(4)]
    found = rows(problems, ["log", "order"], ["minisat22"])
    found += rows(problems, ["csp"], ["backtracking"])
    assert {(row["verdict"], without_notes_on_time(row["message"])) for row in found} == {
        ("verified", "")
    }


SMALL = [
    *SMALL_BOARDS,
    *SMALL_COVERS,
    *(Langford(n) for n in range(1, 5)),
    *(Pigeonhole(n, more) for n, more in product((1, 2, 3), (0, 1))),
    Colouring(queen(2), 3, 2),
    Colouring(queen(2), 4, 2),
    Regions(("a",)),
    Regions(("aabb", "abbb", "accb", "dddd")),
    *(Family.named("latin").of_size(n) for n in (1, 2)),
]


def test_every_family_with_a_cover_states_its_rules():
    kinds = {name: Family.named(name).problem for name in family_names()}
    without = [name for name, kind in kinds.items() if kind.rules is Problem.rules]
    # Formulas, whose clauses are their rules; add-ons may have more of them.
    assert [name for name in without if not issubclass(kinds[name], Formula)] == ["cnfgen"]


@pytest.mark.parametrize("family", ["queens", "torus"])
def test_cover_rules_and_violation_of_boards_agree(monkeypatch, family):
    """With one encoding: the others encode boards in `test_encodings`."""
    monkeypatch.setattr("nqbench.testing.families.complete_encoding_names", lambda: ["pairwise"])
    made = Family.named(family)
    check_family(made, [made.of_size(n) for n in (1, 4)])


@pytest.mark.parametrize("problem", SMALL, ids=repr)
def test_the_reference_has_exactly_the_solutions_as_models(problem):
    """Compared with brute force by `violation`, and with the exhaustive count from the rules."""
    formula = reference.clauses(problem.rules())
    formula.check()
    options = problem.options
    found = [tuple(options[v - 1] for v in model) for model in models(formula)]
    assert sorted(map(sorted, found)) == sorted(map(sorted, solutions(problem)))
    tables = exhaustive._search(problem, None)
    assert sum(map(len, tables)) == len(found)


def models(formula):
    """The true options of each model."""
    from pysat.solvers import Solver

    with Solver("minisat22", bootstrap_with=formula.clauses()) as solver:
        for v in range(1, formula.num_main + 1):
            solver.add_clause([v, -v])  # for options in no clause
        while solver.solve():
            values = (solver.get_model() or [])[: formula.num_main]
            yield [v for v in values if v > 0]
            if not values:
                return
            solver.add_clause([-v for v in values])


@pytest.mark.parametrize("problem", SMALL, ids=repr)
def test_judging_a_problem_never_asks_for_its_cover(problem, monkeypatch):
    expected = len(list(solutions(problem)))
    for kind in type(problem).__mro__:
        if "cover" in vars(kind):
            monkeypatch.setattr(kind, "cover", None)
    reference._rules.cache_clear()
    judge = certifier()
    assert judge.count(problem)[0] == expected
    assert judge.decide_problem(problem, LIMITS).satisfiable is bool(expected)
