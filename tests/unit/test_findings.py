"""What is found in records of which the truth is known; see also test_golden_findings."""

import math
import textwrap

import numpy as np
import polars as pl
import pytest
from made_records import BASE, campaign, encoded, facts, names, one_fact, times
from scipy import stats
from worded_facts import growing, uneven

import nqbench as package
from nqbench.common.errors import InputError
from nqbench.summary import comparisons
from nqbench.summary.power import problems_for

OF_SPEED = (
    "apart", "can_find", "lead", "no_difference", "slower_than_first", "typically_and_on_average",
    "typically_faster", "undecided_with_first",
)  # fmt: skip


def test_a_clear_winner_is_named_with_the_factors_by_which_it_wins():
    records = campaign(a=times(1), b=times(2), c=times(10))
    lead, slower = facts(records, *OF_SPEED)
    assert (lead.kind, slower.kind) == ("lead", "slower_than_first")
    standings = lead.found.standings
    assert (standings.best, standings.par2_s) == ("e x a", pytest.approx(sum(BASE) / len(BASE)))
    assert standings.rivals[0].par2_s == pytest.approx(2 * standings.par2_s)
    assert names(slower.rivals) == ["e x b", "e x c"]
    assert [rival.behind for rival in slower.rivals] == [12, 12]
    typical = {name: ratios.typical for name, ratios in slower.ratios.items()}
    assert typical == pytest.approx({"e x b": 2, "e x c": 10})


@pytest.mark.parametrize("boards", [5, 7, 9, 15])
def test_what_solved_nothing_is_never_close_to_the_best(boards):
    base = [0.01 * 1.3**board for board in range(boards)]
    records = campaign(a=base, b=uneven(1, min(boards, 12)) + base[12:], c=[None] * boards)
    for fact in facts(records, "undecided_with_first"):
        assert "e x c" not in names(fact.rivals)
    missed = one_fact(records, "solved").missed
    assert missed.rows() == [("e x c", "timeout", boards)]


def test_what_solved_less_but_is_otherwise_faster_is_said():
    mixed = [None] * 5 + [0.5 * seconds for seconds in BASE[5:]]
    (rival,) = (one_fact(campaign(a=times(1), b=mixed), "solves_alone").rival,)
    assert (rival.only_first, rival.only_it, rival.solves) == (5, 0, "")
    third = campaign(a=times(1), b=mixed, c=times(20))
    (rival,) = one_fact(third, "undecided_with_first").rivals
    assert (rival.name, rival.solved) == ("e x b", 7)


@pytest.mark.parametrize("boards", [1, 5, 6])
def test_with_too_few_boards_that_is_all_that_is_said_of_speed(boards):
    """The test cannot pass 5 % if 2 / 2^boards does not, however many combinations there are."""
    base = [0.01 * 1.3**board for board in range(boards)]
    records = campaign(**{name: times(2 + i, base) for i, name in enumerate("abcde")})
    if boards == 6:
        assert len(one_fact(records, "slower_than_first").rivals) == 4
    else:
        (fact,) = facts(records, *OF_SPEED)
        assert (fact.kind, fact.problems, fact.combinations) == ("can_find", boards, 5)


def test_who_is_faster_on_most_boards_is_named_if_one_board_makes_the_average():
    """On eleven boards of twelve b takes half the time; on the last one it takes nine seconds."""
    records = campaign(a=times(1), b=[*times(0.5)[:-1], 9])
    lead = one_fact(records, "lead").found
    assert (lead.standings.best, lead.without_one) == ("e x a", pytest.approx(0.5))
    fact = one_fact(records, "typically_faster")
    assert (fact.rival.name, fact.rival.ahead) == ("e x b", 11)
    assert fact.ratios.typical == pytest.approx(0.5)


def test_how_many_boards_it_takes_is_said_of_each_that_is_undecided():
    records = campaign(a=times(1), b=uneven(3), c=uneven(4), d=times(20))
    fact = one_fact(records, "undecided_with_first")
    rows = comparisons(records).filter(pl.col("p") >= 0.05)
    close = {name for row in rows.select("first", "second").rows() for name in row} - {"e x a"}
    assert {*names(fact.rivals)} == {*fact.ratios} == close
    assert len(close) == 2


def test_the_stated_range_of_problems_mostly_holds_the_number_that_is_enough():
    """The number that is enough for a power of 80 % at 5 % is known of normal differences. Of 400
    pilots of two sizes, 80 % of the ranges hold it, and rarely fewer than 75 %.
    """
    rng = np.random.default_rng(5)
    critical = stats.norm.isf(0.025)
    for problems, shift in ((12, 0.4), (40, 0.2)):
        # The standardised difference is the mean by the root of the mean square.
        effect = shift / math.sqrt(1 + shift**2)
        enough = ((critical + stats.norm.ppf(0.8)) / effect) ** 2
        held = 0
        for _ in range(400):
            drawn = rng.normal(shift, 1, problems)
            low, high = problems_for(drawn.sum() / np.linalg.norm(drawn), critical, problems)
            held += low <= enough <= high
        assert held >= 300


def test_no_difference_takes_infinitely_many_boards():
    assert problems_for(0.0, 2.0, 12) == (math.inf, math.inf)
    low, high = problems_for(0.5, 2.0, 12)
    assert 12 < low < high == math.inf


def formulas(**times):
    """Records of files: no n, and nothing was encoded."""
    return campaign(**times).with_columns(
        instance=pl.format("{}.cnf", "n"), n=pl.lit(None, pl.Int64), family=pl.lit("formula")
    )


def test_formulas_are_called_so_and_have_no_n_and_no_encoding():
    records = formulas(a=times(1), b=times(3))
    lead, other, solved, checked = facts(records)
    assert (lead.found.phrases.problem, lead.found.standings.best) == ("formula", "e x a")
    assert (other.kind, other.rival.behind) == ("typically_and_on_average", 12)
    assert (solved.kind, solved.number, checked.kind) == ("solved", 24, "how_checked")
    few = one_fact(formulas(a=[1.0, 2.0], b=[2.0, 3.0]), "can_find")
    assert (few.problems, few.noun) == (2, "formula")


def test_encoding_is_compared_with_solving_by_the_best_backend():
    ten = encoded(10.0, a=[5.0] * 12, b=[1.0] * 12)
    tenth = encoded(0.1, a=[2.0] * 12, b=[5.0] * 12)
    records = pl.concat([ten, tenth])
    fact = one_fact(records, "cost_of_encoding")
    assert fact.is_once
    assert cost_of_encoding(fact) == [("takes-0.1", "a", 0.05), ("takes-10.0", "b", 10)]
    # 0.1 + 0.5 + 2 against 10 + 0.5 + 1 seconds.
    faster = one_fact(records, "faster_in_total")
    assert (faster.first, faster.second) == ("takes-0.1 x a", "takes-10.0 x b")
    assert faster.ratios.typical == pytest.approx(11.5 / 2.6)


def cost_of_encoding(fact):
    return fact.costs.select("encoding", "backend", "ratio").rows()


def test_phases_that_are_mostly_first_calls_are_not_compared():
    """Of three boards that take 2 s and of nine that take half a millisecond, the former count."""
    mixed = encoded(1.0, a=[2.0] * 3 + [0.0005] * 9)
    (row,) = one_fact(mixed, "cost_of_encoding").costs.rows(named=True)
    assert (row["ratio"], row["encode_s"], row["short"]) == (0.5, 1.0, 9)
    for short in (encoded(1.0, a=[0.0009] * 12), encoded(0.0009, a=[2.0] * 12)):
        assert not facts(short, "cost_of_encoding")
    fact = one_fact(encoded(0.001, a=[0.001] * 12), "cost_of_encoding")
    assert cost_of_encoding(fact) == [("takes-0.001", "a", 1.0)]


def test_findings_about_other_problems_speak_of_no_boards():
    records = encoded(10.0, a=[5.0] * 12, b=[1.0] * 12).with_columns(family=pl.lit("latin"))
    assert one_fact(records, "cost_of_encoding").problem == "problem"
    assert not [each for each in package.findings(records) if "board" in each]


def test_a_board_that_one_encoding_cannot_do_still_counts_for_the_others():
    """Of 1, 2 and 4 seconds the median is 2, whoever fails on the last board."""
    whole = encoded(1.0, a=[1.0, 2.0, 4.0])
    failed = encoded(2.0, a=[1.0, 1.0, None]).with_columns(
        clauses=pl.when(pl.col("n") < 6).then("clauses")
    )
    fact = one_fact(pl.concat([whole, failed]), "cost_of_encoding")
    assert cost_of_encoding(fact) == [("takes-1.0", "a", 0.5), ("takes-2.0", "a", 2.0)]


def test_encoding_measured_in_each_run_is_not_said_to_be_measured_once():
    records = encoded(1.0, a=times(1), b=times(2))
    again = records.with_columns(encode_s=pl.when(pl.col("backend") == "a").then(1.5).otherwise(1))
    assert one_fact(records, "cost_of_encoding").is_once
    assert not one_fact(again, "cost_of_encoding").is_once


def test_growth_names_who_is_undecided():
    fact = one_fact(growing(), "laws_of_growth")
    assert fact.decided == {"exponential": ["e x exponential"], "polynomial": ["e x power"]}
    assert fact.undecided == ["e x noise"]
    assert not facts(campaign(a=times(1)[:4]), "laws_of_growth")


def test_the_largest_n_names_those_that_came_there():
    fact = one_fact(campaign(a=times(1), b=[*times(1)[:-1], None]), "largest_n")
    assert (fact.n, fact.by) == (15, ["e x a"])
    # What was not tried yet was not lost.
    for b in (times(1), times(1)[:-3]):
        assert not facts(campaign(a=times(1), b=b), "largest_n")


def many():
    """30 combinations with long names, some of which solve little."""
    parts = []
    for number in range(30):
        base = uneven(number)
        missing = max(0, number - 20)
        parts.append(
            campaign(b=[*base[: 12 - missing], *[None] * missing] * 2).with_columns(
                encoding=pl.lit(f"k-modulo-totalizer-{number}"),
                backend=pl.lit(f"backtracking:order={number}"),
            )
        )
    return pl.concat(parts)


@pytest.mark.parametrize("records", [many(), many().filter(pl.col("n") < 8)])
def test_sentences_are_few_and_fit_on_two_lines(records):
    found = package.findings(records)
    assert 4 <= len(found) <= 11
    for sentence in found:
        assert len(textwrap.wrap(sentence, 98, break_on_hyphens=False)) <= 2, sentence
        assert "\xa0" not in sentence


def test_a_time_of_zero_is_no_error():
    """A clock may not move. Warnings are errors here."""
    records = campaign(a=[0.0] * 12, b=times(1))
    assert one_fact(records, "lead").found.standings.best == "e x a"


def test_another_time_can_count():
    # The load time is the same for all.
    records = campaign(a=times(1), b=times(2))
    lead = one_fact(records, "lead", "load_s").found
    assert (lead.phrases.metric, lead.standings.par2_s) == ("load_s", 0.5)
    ratios = one_fact(records, "no_difference", "load_s").ratios
    assert (ratios.low, ratios.high) == pytest.approx((1, 1))
    with pytest.raises(InputError, match="unknown metric 'speed'"):
        package.findings(campaign(a=[1]), "speed")
    with pytest.raises(InputError, match="findings takes a table"):
        package.findings([1])
