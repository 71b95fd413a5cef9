"""A race: who leaves, when, and what is said, from costs that are known."""

import math
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import scipy.stats
from made_records import RECORD, RUN, ended
from places import ROOT

from nqbench.addons.race import live
from nqbench.addons.race.course import CAP, LIFTED, Course
from nqbench.addons.race.evidence import worse
from nqbench.addons.race.problem_order import draw_order, groups_of
from nqbench.addons.race.rules import METRICS, Average, Rules
from nqbench.addons.race.standing import Standing
from nqbench.campaign.job import Job
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome, Phase
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens

sys.path.insert(0, str(ROOT / "benchmarks"))
REFERENCE = ROOT / "results" / "reference"
MEAN, TYPICAL = Average


def p_of(costs, than, average):
    """The p-value that these costs of one combination are not worse."""
    (p,) = worse(costs[:, np.newaxis], than, average)
    return p


def finished(costs, average=MEAN, seed=0, *, confidence=0.95, late=0.0, used=None):
    """The course of a race over these costs, shape (problems, combinations), and its asks. Runs are
    stopped up to this part of the cap after it.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(costs)).tolist()
    course = Course(costs.shape[1], order, average, confidence, 0.05, random, used)
    asked = []
    for batch in course.batches():
        for ask in batch:
            cost, cap = costs[ask.problem, ask.combination], course.cap(ask)
            cap *= 1 + late * random.random() if late else 1.0
            course.note_cost(ask, min(cost, cap), is_bound=cost > cap)
            asked.append((ask, cost > cap))
    return course, asked


def course_of(combinations, problems, average, seed):
    random = np.random.default_rng(seed)
    order = random.permutation(problems).tolist()
    return Course(combinations, order, average, 0.95, 0.05, random)


def standing_of(course):
    """What is said of a race by solve time."""
    names = [f"c{each}" for each in range(course.combinations)]
    spent_s = [1.0] * course.combinations
    return Standing(names, course, "solve_s", spent_s, 9.0, 9, 0, True, pl.DataFrame())


def lognormal(shape, seed=0, sigma=1.0):
    return np.random.default_rng(seed).lognormal(0, sigma, shape)


def permuted(values):
    """SciPy's p-value of paired differences whose sum may be above 0 by chance."""
    return scipy.stats.permutation_test(
        (values,),
        np.sum,
        permutation_type="samples",
        alternative="greater",
        n_resamples=20_000,
        rng=0,
    ).pvalue


@pytest.mark.parametrize("average", Average)
@pytest.mark.parametrize("count", [5, 9, 40])
def test_p_is_that_of_scipy(average, count):
    """Of Wilcoxon's test of clipped log ratios; if the mean decides, at least that of SciPy's
    permutation test of paired samples, too. Without ties, which are none of noise.
    """
    costs, than = 1.5 * lognormal(count, 1, 0.1), lognormal(count, 2, 0.1)
    ratios = np.clip(np.log(costs / than), -math.log(CAP), math.log(CAP))
    known = permuted(np.sign(ratios) * scipy.stats.rankdata(np.abs(ratios)))
    if average is MEAN:
        known = max(known, permuted(costs - than))
    assert p_of(costs, than, average) == pytest.approx(known, abs=0.01 if count > 12 else 1e-9)


def test_who_is_faster_on_most_problems_may_be_worse():
    """Nine of ten problems a bit faster, one much slower: worse on average, and typically better.
    So neither leaves if the mean decides.
    """
    fast = np.array([0.9] * 9 + [100.0])
    steady = np.ones(10)
    assert p_of(fast, steady, MEAN) == p_of(steady, fast, MEAN) == 1
    assert p_of(steady, fast, TYPICAL) == 1  # its geometric mean is less
    fast[9] = 1.4
    assert p_of(steady, fast, TYPICAL) < 0.05


@pytest.mark.parametrize("average", Average)
def test_a_lower_bound_never_makes_a_combination_look_worse(average):
    costs, than = lognormal(10, 3) * 2, lognormal(10, 4)
    bounds = np.minimum(costs, CAP * than)
    assert p_of(bounds, than, average) >= p_of(costs, than, average)


@pytest.mark.parametrize("average", Average)
def test_no_bound_in_a_race_makes_a_combination_look_worse_than_the_whole_grid_does(average):
    compared = 0
    for seed in range(40):
        costs = lognormal((8, 4), seed)
        course, _ = finished(costs, average, seed, late=0.01)
        than = costs[course.compared, course.leader]
        for each in course.left[1:]:
            p = p_of(costs[course.compared, each], than, average)
            assert course.p_values([each])[0] >= p - 1e-12
            compared += bool(course.capped[:, [each, course.leader]].any())
    assert compared > 30


@pytest.mark.parametrize(("average", "combinations"), list(zip(Average, (2, 4), strict=True)))
def test_of_equal_combinations_a_winner_is_named_as_rarely_as_stated(average, combinations):
    """The same costs with noise, on problems that differ by orders of magnitude: 60 races at 80 %,
    of which at most 20 % may name one; by chance, more than 20 would once in a hundred such tests.
    """
    named = 0
    for seed in range(60):
        problems = lognormal((24, 1), seed, 2.0)
        costs = problems * lognormal((24, combinations), 1000 + seed, 0.3)
        course, _ = finished(costs, average, seed, confidence=0.8)
        named += len(course.left) == 1
    assert named <= 20


@pytest.mark.parametrize("average", Average)
def test_a_clear_winner_is_found_at_the_first_look(average):
    costs = lognormal((40, 1)) * np.array([[3.0, 1.0, 3.0, 5.0]])
    course, asked = finished(costs, average)
    assert course.left == [1]
    assert len(course.seen) == 8
    assert all(course.gone[each].beaten for each in (0, 2, 3))
    assert {ask.combination for ask, was_capped in asked if was_capped} >= {0, 2, 3}


@pytest.mark.parametrize("average", Average)
def test_the_leader_after_all_problems_is_the_best_of_the_grid(average):
    """Capped runs of whoever leads are measured in full until the order is certain."""
    for seed in range(30):
        costs = lognormal((7, 6), seed, 2.0)
        course, _ = finished(costs, average, seed)
        assert len(course.seen) == 7
        every = [average.of(of_one) for of_one in costs.T]
        assert course.leader == int(np.argmin(every))
        assert course.of(course.leader) == pytest.approx(min(every))


def test_no_run_is_asked_for_twice_unless_it_was_capped():
    _, asked = finished(lognormal((12, 5), 7, 2.0))
    capped, seen = set(), set()
    for ask, was_capped in asked:
        place = ask.problem, ask.combination
        assert place not in seen or (place in capped and (ask.in_full or ask.cap))
        seen.add(place)
        if was_capped:
            capped.add(place)
    assert capped


def test_capped_runs_are_measured_again_before_more_problems_are_asked_for():
    """On two of eight problems the other one is a bit faster, on six it takes three times as long
    as the leader. Of 256 exchanges, 10 have a sum as great if it counts up to the cap of 1.5, and 4
    if it was measured in full: of one look, the level is 2.5 %. Ten others are like the leader, so
    that the capped runs are a small part of the time.
    """
    like_leader = np.where(np.arange(8) % 2, 1.02, 1.0)
    costs = np.column_stack([np.ones(8), [0.7, 0.7, *[3.0] * 6], *[like_leader] * 10])
    bounds = np.minimum(costs[:, 1], CAP)
    assert p_of(bounds, costs[:, 0], MEAN) == 10 / 256
    assert p_of(costs[:, 1], costs[:, 0], MEAN) == 4 / 256
    course, asked = finished(costs)
    assert sorted(course.gone) == [1]
    raised = [ask for ask, _ in asked if ask.cap]
    assert {ask.combination for ask in raised} == {1}
    assert sum(ask.cap for ask in raised) <= LIFTED * np.minimum(costs, CAP).sum()


@pytest.mark.parametrize("average", Average)
def test_without_time_for_all_half_of_them_leave_and_none_is_called_worse(average):
    """After each of three equal parts of a budget, for eight combinations. The second best stays,
    since somebody has to be shown to be worse.
    """
    shares = iter([0.5, 0.6, 0.7, 0.9, *[1.0] * 40])
    costs = lognormal((40, 1)) * np.linspace(1.0, 1.35, 8)
    course, _ = finished(costs, average, used=lambda: next(shares))
    left_after = {each: exit_.problems for each, exit_ in course.gone.items() if each > 1}
    assert left_after == {2: 7, 3: 7, 4: 5, 5: 5, 6: 5, 7: 5}
    assert course.left[0] == 0
    said = str(standing_of(course))
    assert "Left without a test" in said
    assert not any(f"c{each}" in said.partition("Typically slower")[2].partition(".")[0]
                   for each in left_after)  # fmt: skip


def test_nobody_leaves_without_a_test_if_the_time_suffices_for_all():
    costs = lognormal((12, 1)) * np.linspace(1.0, 1.2, 6)
    shares = iter(np.arange(1, 100) / 100)
    course, _ = finished(costs, used=lambda: next(shares))
    assert not any(exit_.is_untested for exit_ in course.gone.values())


def test_each_kind_of_problem_comes_evenly_among_all():
    kinds = "a" * 20 + "b" * 10 + "c" * 5
    for seed in range(5):
        order = draw_order(kinds, np.random.default_rng(seed))
        assert sorted(order) == list(range(35))
        for count in range(1, 36):
            first = [kinds[problem] for problem in order[:count]]
            assert all(
                abs(first.count(kind) - count * kinds.count(kind) / 35) < 2 for kind in "abc"
            )


def test_a_race_that_was_stopped_recommends_and_says_how_uncertain_that_is():
    course = Course(3, range(30), MEAN, 0.95, 0.05, np.random.default_rng(0))
    for batch in course.batches():
        if len(course.seen) == 3:
            break
        for ask in batch:
            course.note_cost(ask, (1.0, 1.0, 2.0)[ask.combination])
    standing = replace(standing_of(course), is_over=False)
    said = standing.sentences()
    best = standing.leader
    assert said[-1] == (
        f"Use {best}: in 100\N{NO-BREAK SPACE}% of resamples of the 2 problems, it is within "
        "5\N{NO-BREAK SPACE}% of the best of the 3 that are left."
    )
    assert any("that the race did not reach may decide" in sentence for sentence in said)
    assert "more problems like these" not in " ".join(said)


def test_who_is_disqualified_does_not_run_again():
    costs = lognormal((10, 3))
    course = Course(3, range(10), MEAN, 0.95, 0.05, np.random.default_rng(0))
    for batch in course.batches():
        for ask in batch:
            assert ask.combination not in course.gone
            course.note_cost(ask, costs[ask.problem, ask.combination])
            if ask.combination == 1:
                course.disqualify(1, "a wrong answer")
    assert course.gone[1].why == "a wrong answer"
    assert not course.gone[1].beaten


@pytest.mark.parametrize("average", Average)
def test_a_run_that_was_stopped_before_it_began_is_no_evidence(average):
    """Its bound is 0: so its combination leads until it is measured in full, and wins."""
    costs = lognormal((16, 1)) * np.array([[1.0, 3.0]])
    for seed in range(6):
        course, in_full = course_of(2, len(costs), average, seed), set()
        for batch in course.batches():
            for ask in batch:
                is_stopped = ask.combination == 0 and np.isfinite(course.cap(ask))
                cost = 0.0 if is_stopped else costs[ask.problem, ask.combination]
                course.note_cost(ask, cost, is_bound=is_stopped)
                if ask.combination == 0 and not is_stopped:
                    in_full.add(ask.problem)
        assert course.left == [0]
        assert set(course.seen) == in_full


@pytest.mark.parametrize("average", Average)
@pytest.mark.parametrize("is_bound", [False, True])
def test_who_never_begins_leaves_without_a_judgement(average, is_bound):
    """Charged with its limit, or stopped by the race: neither says that it is slower."""
    costs = lognormal((8, 2))
    course = course_of(2, len(costs), average, 1)
    for batch in course.batches():
        for ask in batch:
            if ask.combination == 1:
                is_stopped = is_bound and np.isfinite(course.cap(ask))
                course.note_cost(
                    ask, 0.0 if is_stopped else 60.0, is_bound=is_stopped, measured_cost=0.0
                )
            else:
                course.note_cost(ask, costs[ask.problem, 0])
    assert course.left == [0]
    assert course.gone[1].never_begun == 8
    assert not course.gone[1].is_measured
    said = str(standing_of(course))
    assert "before it began to solve" in said
    assert "Typically slower" not in said
    assert "times as long" not in said


def test_who_is_slower_where_it_begins_is_worse():
    costs = lognormal((40, 1)) * np.array([[1.0, 5.0]])
    course = course_of(2, len(costs), MEAN, 0)
    for batch in course.batches():
        for ask in batch:
            cost = costs[ask.problem, ask.combination]
            never = ask.combination == 1 and ask.problem == course.seen[0]
            course.note_cost(ask, 60.0 if never else cost, measured_cost=0.0 if never else cost)
    assert course.gone[1].beaten


def test_of_combinations_that_never_begin_none_leaves_because_of_another():
    course = course_of(3, 20, MEAN, 0)
    for batch in course.batches():
        for ask in batch:
            course.note_cost(ask, 60.0, measured_cost=0.0)
    assert not course.gone


CAPPED = replace(ended(Outcome.CAPPED), solve_s=None, encode_s=0.5, wall_s=2.0, cpu_s=0.25)
SHOWN = replace(
    CAPPED,
    stopped_in=Phase.SOLVE,
    load_at_least_s=0.7,
    solve_at_least_s=0.2,
    decode_at_least_s=0.1,
)


@pytest.mark.parametrize(
    ("metric", "known", "of_earlier_schema"),
    [("solve_s", 0.2, None), ("total_s", 1.5, None), ("wall_s", 2.0, 2.0), ("cpu_s", 0.25, 0.25)],
)
def test_the_bound_of_a_capped_record_is_that_of_what_decides(metric, known, of_earlier_schema):
    assert live._least_cost(SHOWN, metric) == pytest.approx(known)
    assert live._least_cost(CAPPED, metric) == of_earlier_schema
    for cap_s, is_enough in ((known - 0.01, True), (known + 0.01, False)):
        run = replace(RUN, cap_s=cap_s, cap_of=metric, besides_s=10.0)
        assert live._is_enough(SHOWN, run) is is_enough
        assert live._is_enough(CAPPED, run) is (is_enough and of_earlier_schema is not None)
        assert live._is_enough(RECORD, run)
    assert not live._is_enough(SHOWN, RUN)


@pytest.mark.parametrize(
    ("changes", "has_begun"),
    [
        ({"solve_at_least_s": 0.0, "stopped_in": Phase.LOAD}, False),
        ({"solve_at_least_s": 0.0, "stopped_in": Phase.OTHER}, False),
        ({"solve_at_least_s": 0.0, "stopped_in": Phase.SOLVE}, True),
        ({"solve_at_least_s": 1.0, "stopped_in": Phase.LOAD}, True),
        ({"wall_s": None}, False),  # stopped while its instance was encoded
        ({}, True),  # of an earlier schema, which counts as it did
    ],
)
@pytest.mark.parametrize("outcome", [Outcome.TIMEOUT, Outcome.MEMOUT])
def test_who_reaches_a_limit_before_it_solves_shows_nothing_of_its_solve_time(
    outcome, changes, has_begun
):
    record = replace(ended(outcome), solve_s=None, **{"wall_s": 30.0} | changes)
    race = live.Race.__new__(live.Race)
    for metric in METRICS:
        race.rules = Rules(metric)
        assert race._has_begun(record) is (has_begun or metric != "solve_s")


def test_a_bound_is_at_most_what_the_worker_took():
    assert live._least_cost(replace(SHOWN, solve_at_least_s=1e6), "solve_s") == 2.0


def test_a_run_that_was_stopped_while_it_loaded_is_not_stopped_there_again():
    """By a race that goes on, unless it would now have more time for it."""
    loading = replace(SHOWN, stopped_in=Phase.LOAD, solve_at_least_s=0.0)
    for besides_s, is_enough in ((1.9, True), (2.1, False)):
        run = replace(RUN, cap_s=0.1, cap_of="solve_s", besides_s=besides_s)
        assert live._is_enough(loading, run) is is_enough


def test_a_race_between_equals_ends_when_they_are_equivalent():
    costs = np.repeat(lognormal((60, 1)), 2, axis=1) * np.array([[1.0, 1.001]])
    course, _ = finished(costs, TYPICAL, confidence=0.9999)
    assert course.are_equivalent or len(course.left) == 1
    assert len(course.seen) < 60


@pytest.mark.parametrize("average", Average)
@pytest.mark.parametrize("campaign", ["campaign", "native"])
def test_a_replay_of_a_recorded_campaign_finds_its_winner_for_a_part_of_the_cost(campaign, average):
    import replays

    grid = replays.Grid.read(REFERENCE / campaign / "records.csv")
    random = np.random.default_rng(0)
    done = [replays.race(grid, average, random) for _ in range(10)]
    good = grid.good(average)
    assert all(good[each.winner] for each in done)
    assert np.median([each.spent for each in done]) <= 0.1 * grid.took.sum()


def test_the_grid_of_a_replay_is_that_of_the_records():
    import replays

    grid = replays.Grid.read(REFERENCE / "campaign" / "records.csv")
    records = pl.read_csv(REFERENCE / "campaign" / "records.csv").filter(repeat=0)
    assert grid.took.sum() == pytest.approx(records["wall_s"].sum())
    assert grid.costs.size == len(records)


def test_two_names_of_one_formula_are_one_problem():
    """The runs on a copy count as repeats."""
    digests = {"one.cnf": "1" * 32, "copy.cnf": "1" * 32, "two.cnf": "2" * 32, "gone.cnf": ""}
    runs = [
        replace(RUN, problem=Formula(name, digest), encoding="file", backend=backend)
        for name, digest in digests.items()
        for backend in ("minisat22", "glucose4")
    ]
    race = live.Race(Job(runs=runs, execution=None), None, Rules())
    assert race.problems == 3
    assert sorted(map(len, race._runs.values())) == [1, 1, 1, 1, 2, 2]


def test_with_groups_only_differences_between_groups_count():
    """One group in which a combination is slower is one piece of evidence, and not twenty."""
    costs = lognormal((64, 1)) * np.ones((64, 2))
    groups = np.repeat([0, 1, 2, 3, 4, 5, 6, 7], [36, 4, 4, 4, 4, 4, 4, 4])
    costs[groups == 0, 1] *= 1.2

    def gone(of_groups):
        random = np.random.default_rng(0)
        course = Course(2, range(64), MEAN, 0.95, 0, random, groups=of_groups)
        for batch in course.batches():
            for ask in batch:
                course.note_cost(ask, costs[ask.problem, ask.combination])
        return [*course.gone], course

    assert gone(None)[0] == [1]
    left, course = gone(groups)
    assert not left
    assert course.evidence == course.fewest_groups == 8
    costs[:, 1] = 1.2 * costs[:, 0]
    assert gone(groups)[0] == [1]


def test_problems_with_one_value_of_a_column_are_a_group():
    assert groups_of([Queens(4), Queens(5), Queens(5)], "n").tolist() == [-1, -2, -2]
    with pytest.raises(InputError, match="unknown unit 'verdict' of a race"):
        groups_of([Queens(4)], "verdict")
