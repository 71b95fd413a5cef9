"""Findings in sentences, of records of which the truth is known."""

import math
import textwrap

import numpy as np
import polars as pl
import pytest
from made_records import BASE, about, campaign, encoded, times
from scipy import stats

import nqbench as package
from nqbench.common.errors import InputError
from nqbench.summary import comparisons
from nqbench.summary.power import problems_for


def uneven(seed, boards=12, spread=1.0):
    """Times that are as often higher as lower than those of `BASE`."""
    rng = np.random.default_rng(seed)
    return (np.array(BASE[:boards]) * rng.lognormal(0, spread, boards)).clip(1e-4, 9).tolist()


def speaking_of_speed(sentences):
    words = ("faster", "Undecided", "difference", "average", "compare")
    return [each for each in sentences if any(word in each for word in words)]


def test_a_clear_winner_is_named_with_the_factors_by_which_it_wins():
    found = package.findings(campaign(a=times(1), b=times(2), c=times(10)))
    mean_ms = 1000 * sum(BASE) / len(BASE)
    assert speaking_of_speed(found) == [
        f"Least average solve time: e x a with {mean_ms:.0f} ms per board (PAR-2), "
        f"ahead of e x b ({2 * mean_ms:.0f} ms).",
        "It is typically faster than both others: from 2.0 times (e x b, on 12 of 12) to 10 times "
        "(e x c, on 12 of 12) (signed ranks, jointly 5 %).",
    ]


def test_only_one_other_is_named_alone():
    found = package.findings(campaign(a=times(1), b=times(2)))
    assert about(found, "e x a typically takes 0.50 times as long as e x b (on 12 of 12); on "
                        "average about 0.50")  # fmt: skip


def test_what_is_equal_is_undecided_however_many_boards():
    found = package.findings(campaign(a=times(1), b=times(1), c=times(10)))
    assert about(found, "e x a with", "level with e x b")
    assert about(found, "Undecided with 12 boards: e x b (more than 1000 boards needed).")
    assert about(found, "It is typically 10 times faster than e x c (on 12 of 12;")


@pytest.mark.parametrize("boards", [5, 7, 9, 15])
def test_what_solved_nothing_is_never_close_to_the_best(boards):
    base = [0.01 * 1.3**board for board in range(boards)]
    for seed in range(2):
        records = campaign(a=base, b=uneven(seed, min(boards, 12)) + base[12:], c=[None] * boards)
        found = package.findings(records)
        assert not about(found, "Undecided", "e x c")
        assert about(found, "Solved: ", f"{boards} timed out at 10 s: e x c ({boards} of {boards})")


def test_if_one_alone_solved_anything_nothing_is_compared():
    found = package.findings(campaign(a=[1, 2], b=[None, None], c=[None, None]))
    assert speaking_of_speed(found) == [
        "Only e x a solved anything; its average solve time is 1.5 s per board (PAR-2)."
    ]


def test_what_solved_less_but_is_otherwise_faster_is_said():
    mixed = [None] * 5 + [0.5 * seconds for seconds in BASE[5:]]
    found = package.findings(campaign(a=times(1), b=mixed))
    assert about(found, "e x a solves 5 of 12 problems that e x b does not, and e x b none that "
                        "e x a does not: 5 against 0 may be chance")  # fmt: skip
    third = package.findings(campaign(a=times(1), b=mixed, c=times(20)))
    assert about(third, "Undecided with 12 boards: e x b (", "7 of 12 solved")


@pytest.mark.parametrize("boards", [1, 5, 6])
def test_with_too_few_boards_that_is_all_that_is_said_of_speed(boards):
    """The test cannot pass 5 % if 2 / 2^boards does not, however many combinations there are."""
    base = [0.01 * 1.3**board for board in range(boards)]
    records = campaign(**{name: times(2 + i, base) for i, name in enumerate("abcde")})
    found = package.findings(records)
    if boards == 6:
        assert about(found, "It is typically faster than all 4 others")
    else:
        (sentence,) = speaking_of_speed(found)
        noun = "board" if boards == 1 else "boards"
        assert sentence.startswith(
            f"{boards} {noun}: no difference can be found, whatever the times. 6 are the least"
        )


def test_boards_that_not_all_were_measured_on_compare_nothing():
    apart = pl.concat(
        [campaign(a=times(1)), campaign(b=times(2)).with_columns(n=pl.col("n") + 100)]
    )
    assert speaking_of_speed(package.findings(apart)) == [
        "No board was measured with every combination, so nothing can be compared."
    ]


def test_who_is_faster_on_most_boards_is_named_if_one_board_makes_the_average():
    """On eleven boards of twelve b takes half the time; on the last one it takes nine seconds."""
    found = package.findings(campaign(a=times(1), b=[*times(0.5)[:-1], 9]))
    assert about(found, "e x a has the least average (PAR-2)", "but one of 12 boards makes that: "
                        "without it, e x b takes 0.50 times as long.")  # fmt: skip
    assert about(found, "e x b is typically 2.0 times faster than e x a (", "on 11 of 12).")


def test_how_many_boards_it_takes_is_said_of_each_that_is_undecided():
    records = campaign(a=times(1), b=uneven(3), c=uneven(4), d=times(20))
    (sentence,) = about(package.findings(records), "Undecided")
    rows = comparisons(records).filter(pl.col("p") >= 0.05)
    close = {name for row in rows.select("first", "second").rows() for name in row} - {"e x a"}
    assert {name for name in ("e x b", "e x c", "e x d") if name in sentence} == close
    assert sentence.count(" times") == len(close) == 2


def test_more_than_four_that_are_undecided_are_counted():
    others = {name: uneven(seed, spread=0.1) for seed, name in enumerate("bcdefgh")}
    (sentence,) = about(package.findings(campaign(a=times(0.99), **others)), "Undecided")
    assert 1 <= sentence.count("e x ") <= 4
    assert " more." in sentence


def test_many_combinations_with_few_boards_find_nothing():
    others = {f"s{number}": uneven(number, boards=7) for number in range(20)}
    found = package.findings(campaign(a=times(1)[:7], **others))
    assert about(found, "With 21 combinations and 7 boards, hardly any difference can be found")


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
    found = package.findings(formulas(a=times(1), b=times(3)))
    assert found[0] == (
        f"Least average solve time: e x a with {1000 * sum(BASE) / 12:.0f} ms per formula "
        f"(PAR-2), ahead of e x b ({3000 * sum(BASE) / 12:.0f} ms)."
    )
    assert found[1].startswith("e x a typically takes 0.33 times as long as e x b (on 12 of 12);")
    assert found[2:] == [
        "Solved: all 24 runs of 2 combinations on 12 formulas.",
        "Every answer was checked and none was wrong (24 none).",
    ]
    few = package.findings(formulas(a=[1.0, 2.0], b=[2.0, 3.0]))
    assert few[0].startswith("2 formulas: no difference can be found, whatever the times.")


def test_one_combination_has_an_average_and_no_rank():
    found = package.findings(campaign(a=[1, None]))
    assert found[0] == "The average solve time of e x a is 10 s per board (PAR-2)."
    assert not about(found, "Least average")


def test_encoding_is_compared_with_solving_by_the_best_backend():
    ten = encoded(10.0, a=[5.0] * 12, b=[1.0] * 12)
    tenth = encoded(0.1, a=[2.0] * 12, b=[5.0] * 12)
    found = package.findings(pl.concat([ten, tenth]))
    assert (
        "Encoding takes 0.050 (takes-0.1, 100 ms) to 10 (takes-10.0, 10 s) times as long as "
        "solving on the median board (best by PAR-2; encoded once per formula)."
    ) in found
    # 0.1 + 0.5 + 2 against 10 + 0.5 + 1 seconds.
    assert (
        "Including encoding, loading and decoding, takes-0.1 x a is typically 4.4 times "
        "faster than takes-10.0 x b (on 12 of 12)."
    ) in found


def test_phases_that_are_mostly_first_calls_are_not_compared():
    """Of three boards that take 2 s and of nine that take half a millisecond, the former count."""
    mixed = encoded(1.0, a=[2.0] * 3 + [0.0005] * 9)
    (sentence,) = about(package.findings(mixed), "Encoding takes")
    assert sentence.startswith(
        "Encoding takes 0.50 (takes-1.0, 1 s) times as long as solving on the median board over "
        "1 ms (best by PAR-2"
    )
    for short in (encoded(1.0, a=[0.0009] * 12), encoded(0.0009, a=[2.0] * 12)):
        assert not about(package.findings(short), "Encoding takes")
    assert about(package.findings(encoded(0.001, a=[0.001] * 12)), "Encoding takes 1.0")


def test_findings_about_other_problems_speak_of_no_boards():
    records = encoded(10.0, a=[5.0] * 12, b=[1.0] * 12).with_columns(family=pl.lit("latin"))
    found = package.findings(records)
    assert about(found, "as long as solving on the median problem")
    assert not about(found, "board")


def test_a_board_that_one_encoding_cannot_do_still_counts_for_the_others():
    """Of 1, 2 and 4 seconds the median is 2, whoever fails on the last board."""
    whole = encoded(1.0, a=[1.0, 2.0, 4.0])
    failed = encoded(2.0, a=[1.0, 1.0, None]).with_columns(
        clauses=pl.when(pl.col("n") < 6).then("clauses")
    )
    found = package.findings(pl.concat([whole, failed]))
    assert about(found, "Encoding takes 0.50 (takes-1.0, 1 s) to 2.0 (takes-2.0, 2 s) times")


def test_encoding_measured_in_each_run_is_not_said_to_be_measured_once():
    records = encoded(1.0, a=times(1), b=times(2))
    again = records.with_columns(encode_s=pl.when(pl.col("backend") == "a").then(1.5).otherwise(1))
    assert about(package.findings(records), "encoded once per formula")
    assert about(package.findings(again), "Encoding takes ")
    assert not about(package.findings(again), "encoded once")


def test_growth_names_who_is_undecided():
    n = np.arange(4, 20)
    noise = np.exp(np.random.default_rng(0).normal(0, 2, len(n)))
    exact = {"power": 1e-4 * n**3.0, "exponential": 1e-3 * 1.6**n, "noise": 0.1 * noise}
    clipped = {name: values.clip(2e-3, 9).tolist() for name, values in exact.items()}
    assert (
        "The growth with n fits an exponential better for e x exponential and a power of n better "
        "for e x power; it is undecided for e x noise."
    ) in package.findings(campaign(**clipped))
    several = {f"noise{i}": np.roll(exact["noise"], i).clip(2e-3, 9).tolist() for i in range(5)}
    (sentence,) = about(package.findings(campaign(power=clipped["power"], **several)), "growth")
    assert sentence.endswith("for e x power; it is undecided for 5 others.")
    assert not about(package.findings(campaign(a=times(1)[:4])), "grow")


def test_the_largest_n_names_those_that_came_there():
    found = package.findings(campaign(a=times(1), b=[*times(1)[:-1], None]))
    assert "The largest n of which every run was solved is 15, by e x a." in found
    assert not about(package.findings(campaign(a=times(1), b=times(1))), "largest n")
    # What was not tried yet was not lost.
    assert not about(package.findings(campaign(a=times(1), b=times(1)[:-3])), "largest n")


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
    assert about(package.findings(records), "Least average solve time: e x a")


def test_another_time_can_count():
    # The load time is the same for all.
    found = package.findings(campaign(a=times(1), b=times(2)), "load_s")
    assert found[0].startswith("Least average load time: e x a with 500 ms per board")
    assert about(found, "e x a and e x b: equal within 10 %.")
    with pytest.raises(InputError, match="unknown metric 'speed'"):
        package.findings(campaign(a=[1]), "speed")
    with pytest.raises(InputError, match="findings takes a table"):
        package.findings([1])
