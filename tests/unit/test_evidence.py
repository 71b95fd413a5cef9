"""A problem is one piece of evidence, however many machines measured it and under however many
names.
"""

import math

import numpy as np
import polars as pl
import pytest
from addons import is_here, needs_addon
from made_records import LIMIT, campaign, facts, one_fact

from nqbench import summary
from nqbench.common.errors import InputError
from nqbench.summary import evidence
from nqbench.summary.other_tools import to_bencher

if is_here("compare"):
    from nqbench.addons.compare import changes, gate

SEEDS = (1, 2)


def measured(seed):
    """Records of three combinations on 4 to 14 boards, some of them unsolved or repeated."""
    rng = np.random.default_rng(seed)
    boards, repeats = int(rng.integers(4, 15)), int(rng.integers(1, 3))
    base = rng.lognormal(-1, 1, boards)

    def times(factor):
        found = factor * base * rng.lognormal(0, 0.3, boards)
        return [
            None if late else float(s)
            for s, late in zip(found, rng.random(boards) < 0.1, strict=True)
        ]

    return (
        pl.concat(
            campaign(a=times(1.0), b=times(1.3), c=times(3.0)).with_columns(repeat=pl.lit(repeat))
            for repeat in range(repeats)
        )
        .with_columns(run_id=pl.format("{}", pl.int_range(pl.len())))
        .rechunk()
    )


def on_machines(records, count, spread=0.0, seed=0):
    """The records and copies of them under the names of other machines, whose times differ by up to
    this share.
    """
    rng = np.random.default_rng(seed)
    copies = []
    for number in range(count):
        factor = pl.Series(1 + spread * rng.uniform(-1, 1, len(records)) * (number > 0))
        copies.append(
            records.with_columns(
                pl.col("solve_s") * factor,
                machine=pl.format("{} {}", "machine", pl.lit(number)),
                run_id=pl.format("{} {}", "run_id", pl.lit(number)),
            )
        )
    return pl.concat(copies).rechunk()


def conclusions(records):
    """What is concluded from records: every p, interval, order and number of problems."""
    overview = summary.overview(records)
    return {
        "pairs": summary.comparisons(records).rows(),
        "best": summary.comparisons_with_best(records).rows(),
        "ranks": summary.ranks(records).rows(),
        "overview": overview.select(
            "backend", "problems", "par2_s", "median_s", "median_low_s", "median_high_s", "beats"
        ).rows(),
        "portfolio": summary.portfolio(records).rows(),
        "schemes": summary.schemes(records).rows(),
        "coverage": summary.coverage(records),
        "cactus": summary.cactus(records).rows(),
        "findings": [f.text for f in facts(records) if f.kind not in {"solved", "how_checked"}],
    }


def schemes(records):
    """The same records as if they were of formulas, as they are and in two schemes."""
    names = {"a": "file", "b": "product", "c": "bimander"}
    return records.with_columns(
        encoding=pl.col("backend").replace_strict(names),
        backend=pl.lit("minisat22"),
        family=pl.lit("cnf"),
        instance=pl.format("{}.cnf", "n"),
        n=pl.lit(None, pl.Int64),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_of_the_results_of_a_machine_change_no_conclusion(seed):
    records = schemes(measured(seed)) if seed % 2 else measured(seed)
    expected = conclusions(records)
    found = conclusions(on_machines(records, 2 + seed))
    for name, value in expected.items():
        assert found[name] == value, name


@pytest.mark.parametrize("seed", SEEDS)
def test_machines_with_slightly_different_times_are_no_more_evidence(seed):
    """The number of problems is that of one machine, and p is near to its p."""
    records = measured(seed)
    one = summary.comparisons(records)
    several = summary.comparisons(on_machines(records, 3, spread=1e-3))
    assert several["problems"].to_list() == one["problems"].to_list()
    least = 2.0 ** (1 - one["problems"][0])
    p, other = (dict(zip(t["first"] + t["second"], t["p"], strict=True)) for t in (one, several))
    assert all(math.log2(other[name] / p[name]) <= 1 for name in p)
    assert several["p"].min() >= least


def test_five_boards_on_three_machines_are_too_few():
    """As five boards on one: the smallest possible p is above 5 %."""
    times = {f"s{i}": [(i + 1) * 0.1 * n for n in range(1, 6)] for i in range(11)}
    records = campaign(**times)
    said = one_fact(records, "can_find")
    assert (said.problems, said.noun) == (5, "board")
    assert facts(on_machines(records, 3, spread=0.01), "can_find") == [said]


@needs_addon("compare")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_comparison_of_campaigns_counts_a_problem_once(seed):
    old, new = measured(seed), measured(seed + 100)
    boards = set(old["n"]) & set(new["n"])
    expected = changes.times(old, new)
    copied = changes.times(on_machines(old, 3), on_machines(new, 3))
    assert copied.table.equals(expected.table)
    assert copied.never == expected.never
    assert expected.table["boards"].max() <= len(boards)
    told = gate.Gate(above=0.1).failures(gate.compared(old, new))
    assert (
        gate.Gate(above=0.1).failures(gate.compared(on_machines(old, 3), on_machines(new, 3)))
        == told
    )


@needs_addon("compare")
def test_groups_on_request_are_the_units_of_a_comparison_of_campaigns():
    records = in_folders(campaign(a=[0.01 * 1.3**board for board in range(16)]))
    grouped = evidence.in_groups(records, "formula_family")
    assert changes.times(grouped, grouped).table["boards"].to_list() == [8]


def test_two_names_of_one_problem_are_one_problem():
    """By their digests; a name without a digest is that of the problem with this name."""
    names = ["one.cnf", "copies/one.cnf", "two.cnf"]
    times = {"a": [1.0, 3.0, 5.0], "b": [2.0, 6.0, 1.0]}
    records = campaign(**times).with_columns(
        family=pl.lit("cnf"),
        instance=pl.col("n").replace_strict(dict(enumerate(names, 4))),
        n=pl.lit(None, pl.Int64),
    )
    digest = pl.when(pl.col("instance").str.contains("one")).then(pl.lit("1" * 32))
    same = records.with_columns(problem_digest=digest.otherwise(pl.lit("2" * 32)))
    older = same.filter(backend="a").with_columns(problem_digest=pl.lit(None, pl.String))
    for table in (same, pl.concat([older, same.filter(backend="b")])):
        (row,) = summary.comparisons(table).iter_rows(named=True)
        assert (row["problems"], row["faster"], row["slower"]) == (2, 1, 1)
        # The mean of the logarithms of 1 / 2 and 3 / 6, and that of 5 / 1.
        assert row["typical_ratio"] == pytest.approx(math.sqrt(0.5 * 5))
        assert row["mean_ratio"] == pytest.approx((2 + 5) / (4 + 1))
        assert summary.problem_count(table) == 2
        overview = summary.overview(table)
        assert overview.select("backend", "problems", "par2_s").rows() == [
            ("b", 2, (4.0 + 1.0) / 2), ("a", 2, (2.0 + 5.0) / 2)
        ]  # fmt: skip
    assert summary.problem_count(records) == 3


def test_repeats_on_several_machines_are_no_more_repeats():
    """Of one board, an interval is over its repeats: six on each of three machines are six."""
    six = campaign(a=[0.3]).select(pl.all().repeat_by(6).explode()).with_columns(
        repeat=pl.int_range(6), solve_s=pl.Series([0.3, 0.1, 0.2, 0.6, 0.5, 0.4]),
        conflicts=pl.int_range(10, 16),
    )  # fmt: skip
    three = on_machines(six, 3)
    (row,) = summary.overview(three).iter_rows(named=True)
    assert (row["problems"], row["median_low_s"], row["median_high_s"]) == (1, 0.1, 0.6)
    few = on_machines(six.head(3), 3)
    assert summary.overview(few)["median_low_s"].to_list() == [None]
    assert b"lower_value" in to_bencher(three)
    assert b"lower_value" not in to_bencher(few)


def test_an_unsolved_problem_costs_twice_its_limit_on_each_machine():
    records = campaign(a=[1.0, None], b=[2.0, 2.0])
    costs = summary.Measured(on_machines(records, 2)).unit_costs()
    assert costs.filter(backend="a")["par2_s"].to_list() == [1.0, 2 * LIMIT]


def in_folders(records):
    """The boards as files in folders of two, each once more as a shuffled copy in its folder."""
    number = pl.col("n") - 4
    copies = pl.concat(
        records.with_columns(
            family=pl.lit("cnf"),
            instance=pl.format("{}/{} {}", number // 2, "n", pl.lit(copy)),
            n=pl.lit(None, pl.Int64),
            solve_s=pl.col("solve_s") * (1 + copy / 100),
        )
        for copy in range(2)
    )
    return copies.with_columns(run_id=pl.format("{}", pl.int_range(pl.len())))


def test_groups_on_request_are_the_units_of_every_test_and_no_others():
    """Sixteen boards in eight folders, each with a near-copy, which is not recognised."""
    base = [0.01 * 1.3**board for board in range(16)]
    records = in_folders(campaign(a=base, b=[1.5 * s for s in base]))
    grouped = evidence.in_groups(records, "formula_family")
    (row,) = summary.comparisons(grouped).iter_rows(named=True)
    assert (row["problems"], row["faster"], row["p"]) == (32, 32, 2 / 2**8)
    assert row["mean_ratio"] == pytest.approx(1 / 1.5)
    assert summary.comparisons(records)["p"].item() < 2 / 2**8
    # A mean over problems, and their number, are of problems.
    for column in ("problems", "par2_s", "median_s"):
        tables = [summary.overview(table)[column].to_list() for table in (records, grouped)]
        assert tables[0] == tables[1]
    assert one_fact(records, "slower_in_groups").groups == 8
    few = evidence.in_groups(records.filter(pl.col("instance") < "3"), "formula_family")
    fact = one_fact(few, "can_find")
    assert (fact.problems, fact.noun) == (3, "group")


def test_a_problem_without_a_group_is_a_unit_and_what_is_no_group_is_refused():
    records = campaign(a=[1.0, 2.0, 4.0], b=[2.0, 4.0, 4.0])
    some = records.with_columns(message=pl.when(pl.col("n") < 6).then(pl.lit("small")))
    (row,) = summary.comparisons(evidence.in_groups(some, "message")).iter_rows(named=True)
    assert (row["problems"], row["faster"], row["equal"]) == (3, 2, 1)
    assert row["mean_ratio"] == pytest.approx((1 + 2 + 4) / (2 + 4 + 4))
    assert row["p"] == 1  # one unit of two takes less, the other is equal
    for column, why in (("folder", "unknown unit"), ("solve_s", "no name of a group")):
        with pytest.raises(InputError, match=why):
            evidence.in_groups(records, column)
