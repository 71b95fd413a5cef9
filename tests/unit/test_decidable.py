"""What is said before measuring, and the letters of submissions that do not differ."""

import itertools

import pytest
from addons import is_here, needs_addon

from nqbench.campaign.decidable import decidable
from nqbench.campaign.grid import Campaign
from nqbench.problems.queens import Queens

if is_here("grading"):
    from nqbench.addons.grading.races import undecided_groups


def runs_of(sizes, backends, repeat=1):
    campaign = Campaign(
        problems=[Queens(n) for n in sizes], encodings=["pairwise"], backends=backends,
        repeat=repeat,
    )  # fmt: skip
    return list(campaign.runs("a machine", 1))


def test_too_few_boards_are_said_before_they_are_measured():
    (said,) = decidable(runs_of(range(4, 9), ["minisat22", "cadical195"], repeat=3))
    assert said.startswith("5\N{NO-BREAK SPACE}boards: no difference can be found")
    assert "6 are the least for 2\N{NO-BREAK SPACE}combinations" in said


def test_nothing_is_said_of_one_combination_or_of_shuffles_of_one_problem():
    assert not list(decidable(runs_of(range(4, 9), ["minisat22"])))
    assert not list(decidable(runs_of([8], ["minisat22", "cadical195"], repeat=20)))


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
