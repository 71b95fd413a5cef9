"""What is said before and while measuring, and the letters of submissions that do not differ."""

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from addons import is_here, needs_addon
from made_records import campaign, record_of

from nqbench import summary
from nqbench.campaign.decidable import ENOUGH, Forecast
from nqbench.campaign.grid import Campaign
from nqbench.common.vocabulary import Outcome
from nqbench.problems.queens import Queens

if is_here("grading"):
    from nqbench.addons.grading.races import letters, undecided_groups


def runs_of(sizes, backends, repeat=1):
    campaign = Campaign(
        problems=[Queens(n) for n in sizes], encodings=["pairwise"], backends=backends,
        repeat=repeat,
    )  # fmt: skip
    return list(campaign.runs("a machine", 1))


def said_before(runs):
    return Forecast(runs).sentences()


def measured(sigma, problems=40, outcome=Outcome.FINISHED, seed=1):
    """Records of two backends whose log ratios have this standard deviation."""
    random = np.random.default_rng(seed)
    for n, hardness in enumerate(random.lognormal(-4, 2, problems), 4):
        times = hardness * random.lognormal(0, sigma / 2**0.5, 2)
        yield record_of(n, backend="minisat22", solve_s=times[0])
        yield record_of(n, backend="cadical195", solve_s=times[1], outcome=outcome)


def test_the_spread_of_the_first_problems_makes_the_forecast_more_exact():
    forecast = Forecast(runs_of(range(4, 64), ["minisat22", "cadical195"]))
    (before,) = forecast.sentences()
    records = [*measured(0.3)]
    said = [(at, line) for at, record in enumerate(records) for line in forecast.refine(record)]
    ((at, line),) = said
    assert 2 * ENOUGH <= at + 1 <= 1.2 * 2 * ENOUGH + 1
    differences = [
        np.log(records[i].solve_s / records[i + 1].solve_s) for i in range(0, (at + 1) // 2 * 2, 2)
    ]
    assert f"by {np.std(differences, ddof=1):.2g} and not by 1" in line
    assert "30 % faster takes about 70" in before.replace("\N{NO-BREAK SPACE}", " ")
    assert "30 % faster" not in line  # fewer than 60 boards are enough


@pytest.mark.parametrize(
    "records",
    [measured(0.3, problems=ENOUGH - 1), measured(0.3, outcome=Outcome.TIMEOUT),
     [replace(record_of(4, outcome=Outcome.CAPPED), backend="cadical195"), *measured(0.3)]],
    ids=["few", "unsolved", "capped"],
)  # fmt: skip
def test_without_enough_ratios_nothing_more_is_said(records):
    forecast = Forecast(runs_of(range(4, 64), ["minisat22", "cadical195"]))
    assert not [line for record in records for line in forecast.refine(record)]


def test_too_few_boards_are_said_before_they_are_measured():
    (said,) = said_before(runs_of(range(4, 9), ["minisat22", "cadical195"], repeat=3))
    assert said.startswith("5\N{NO-BREAK SPACE}boards: no difference can be found")
    assert "6 are the least for 2\N{NO-BREAK SPACE}combinations" in said


@pytest.mark.parametrize(
    ("encodings", "backends", "option"),
    [(["pairwise"], 4, "--backend"), (["pairwise", "alo-row", "product"], 2, "--encoding")],
)
def test_the_option_is_named_that_asks_for_fewer(encodings, backends, option):
    solvers = ["minisat22", "cadical195", "glucose4", "lingeling"][:backends]
    planned = Campaign(problems=[*map(Queens, range(4, 11))], encodings=encodings, backends=solvers)
    (line,) = said_before(planned.runs("a machine", 1))
    assert line.endswith(f"To choose among fewer: {option}.")


def test_nothing_is_said_of_one_combination_or_of_shuffles_of_one_problem():
    assert not list(said_before(runs_of(range(4, 9), ["minisat22"])))
    assert not list(said_before(runs_of([8], ["minisat22", "cadical195"], repeat=20)))


@needs_addon("grading")
def test_letters_of_submissions_follow_the_rule_of_summaries():
    """Two share a letter unless one is typically faster than the other, or solves more."""
    times = [0.01 * 1.3**i for i in range(20)]
    records = campaign(
        a=times, twin=[t * (1.01 if i % 2 else 0.99) for i, t in enumerate(times)],
        slow=[3 * t for t in times], gives_up=[*times[:12], *[None] * 8],
    ).with_columns(encoding="backend", backend=pl.lit("minisat22"))  # fmt: skip
    names = ["a", "twin", "slow", "gives_up"]
    given = letters(records, names)
    as_backends = records.with_columns(backend="encoding", encoding=pl.lit("file"))
    rows = summary.comparisons(as_backends)
    assert len(rows) == 6
    for first, second, p, p_solved in rows.select("first", "second", "p", "p_solved").rows():
        is_decided = min(p, p_solved) < 0.05
        assert {*given[first]}.isdisjoint(given[second]) == is_decided, (first, second)
    assert rows["p"].min() < 0.05 > rows["p_solved"].min()
    assert {*given["a"]} & {*given["twin"]}
    assert "a" in given["a"]


@needs_addon("grading")
@pytest.mark.parametrize("different", [
    [], [("a", "b")], [("a", "c"), ("a", "d")], [("a", "d"), ("b", "d"), ("a", "c")],
    [("b", "c"), ("a", "d")],
])  # fmt: skip
def test_two_share_a_group_if_and_only_if_they_do_not_differ(different):
    groups = undecided_groups("abcd", different)
    assert groups[0][0] == "a"
    for pair in itertools.combinations("abcd", 2):
        assert any({*pair} <= {*group} for group in groups) == (pair not in different)
    for group, other in itertools.permutations(groups, 2):
        assert not {*group} <= {*other}
