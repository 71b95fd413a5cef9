"""What sessions of one code differ by is no change: in turns, by several old campaigns, or asked
again.
"""

import math

import numpy as np
import polars as pl
import pytest
from databases import exported
from made_records import BASE, campaign, times
from scipy import stats

from nqbench.addons.compare import changes
from nqbench.addons.compare.gate import Gate, compared
from nqbench.addons.compare.notes import advice, notes_after, verdict
from nqbench.addons.compare.sessions import Sessions, against_sessions, were_in_turns
from nqbench.common.errors import InputError


def noisy(seed, spread=0.05, **factors):
    """A campaign with noise of each run; each backend takes this factor of the times of `BASE`."""
    random = np.random.default_rng(seed)
    return campaign(
        **{
            name: [factor * s * math.exp(random.normal(0, spread)) for s in BASE]
            for name, factor in factors.items()
        }
    )


def started(records, first, step):
    """The same records, their runs started one after another."""
    return records.with_columns(started_at=first + step * pl.int_range(pl.len()).cast(pl.Float64))


def in_turns(old, new):
    return started(old, 1000.0, 2.0), started(new, 1001.0, 2.0)


EQUAL = {"a": 1.0, "b": 1.0, "c": 1.0}


def test_runs_in_turns_are_told_from_two_sessions():
    old, new = noisy(0, **EQUAL), noisy(1, **EQUAL)
    assert were_in_turns(*in_turns(old, new))
    assert not were_in_turns(started(old, 1000.0, 2.0), started(new, 2000.0, 2.0))
    one, other = in_turns(old, new)
    assert not were_in_turns(one, one)
    assert not were_in_turns(one, other.with_columns(machine=pl.lit("another")))
    assert not were_in_turns(old.with_columns(started_at=0.0), new)
    # By chance, about half of the runs are of another side than the one before.
    order = np.random.default_rng(0).permutation(2 * len(old)) + 1.0
    chance = [
        records.with_columns(started_at=pl.Series(moments))
        for records, moments in ((old, order[: len(old)]), (new, order[len(old) :]))
    ]
    assert were_in_turns(*chance)


def test_in_turns_the_machine_is_the_same_so_one_combination_is_enough():
    old, new = in_turns(noisy(0, a=1.0), noisy(1, a=1.3))
    found = compared(old, new)
    assert (found.times.sessions, found.times.common) == (Sessions.IN_TURNS, 1.0)
    assert Gate(0.1).failures(found) == ["1 combination: typically more than 10 % slower"]
    assert not [*advice(found, Gate(0.1))]
    assert not [note for note in notes_after(found, Gate(0.1)) if "session" in note]
    equal = compared(*in_turns(noisy(0, a=1.0), noisy(1, a=1.0)))
    assert not Gate(0.05).failures(equal)
    # In two sessions, it would be the machine.
    assert "no combination can be found slower" in Gate(0.1).blind(
        compared(noisy(0, a=1.0), noisy(1, a=1.3))
    )


def test_at_least_is_the_end_of_a_one_sided_interval_of_scipys_signed_ranks():
    """At the end, the exact test of SciPy is as significant as each of three may be."""
    old, new = noisy(0, **EQUAL), noisy(1, a=1.2, b=1.0, c=1.0)
    table = changes.times(*in_turns(old, new)).table
    for row in table.iter_rows(named=True):
        logs = [
            np.log(records.filter(backend=row["backend"]).sort("n")["solve_s"].to_numpy())
            for records in (new, old)
        ]
        differences = logs[0] - logs[1]
        p_inside, p_outside = (
            stats.wilcoxon(differences - math.log(row["at_least"]) - shift, alternative="greater")[
                1
            ]
            for shift in (1e-9, -1e-9)
        )
        assert p_outside < 0.05 / 3 <= p_inside


def test_several_old_campaigns_are_the_noise_of_a_new_one():
    """With equal shifts of all boards, the rule is an analysis of variance of two ways."""
    k, m = 4, 3
    random = np.random.default_rng(0)
    shifts = random.normal(0, 0.03, (k, m + 1))
    boards = random.normal(0, 1, (k, 1, 9))
    logs = boards + shifts[:, :, np.newaxis]
    found = against_sessions([*(logs[:, m:] - logs[:, :m])], range(k))
    change = shifts[:, m] - shifts[:, :m].mean(axis=1)
    change -= np.median(change)
    assert found.change == pytest.approx(change)
    centred = shifts[:, :m] - shifts[:, :m].mean(axis=1, keepdims=True)
    centred -= np.median(centred, axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    error = math.sqrt((centred**2).sum() / 6 * (1 + 1 / 3))
    assert found.at_least == pytest.approx(change - stats.t.ppf(1 - 0.05 / k, 6) * error)
    assert found.p == pytest.approx(
        np.minimum(1, 2 * k * stats.t.sf(np.abs(change) / error, 6)), abs=1e-9
    )


def test_noise_of_sessions_is_no_change_and_a_large_one_is():
    """The shift of 8 % of one combination, which all its boards share, alarms against one old
    campaign, and not against three that shift as well.
    """
    olds = [
        noisy(seed, 0.01, **dict(zip("abcde", factors, strict=True)))
        for seed, factors in enumerate(
            [(1, 1.08, 1, 0.94, 1), (1, 0.95, 1.05, 1, 1), (1.06, 1, 0.95, 1, 1.05)]
        )
    ]
    new = noisy(9, 0.01, a=1.08, b=1, c=1, d=1, e=1)
    assert Gate(0.05).failures(compared(olds[-1], noisy(9, 0.01, a=1.2, b=1, c=1, d=1, e=1.05)))
    several = compared(olds[-1], new, earlier=olds[:-1])
    assert several.times.sessions is Sessions.SEVERAL
    assert not Gate(0.05).failures(several)
    slow = compared(olds[-1], noisy(9, 0.01, a=2, b=1, c=1, d=1, e=1), earlier=olds[:-1])
    assert len(Gate(0.05).slower(slow)) == 1


def test_a_single_old_campaign_asks_for_a_second_run_of_the_new_one():
    old, slow, fast = (noisy(seed, a=factor, b=1, c=1, d=1) for seed, factor in
                       ((0, 1.0), (1, 1.5), (2, 1.0)))  # fmt: skip
    gate = Gate(0.1)
    first = compared(old, slow)
    assert gate.failures(first)
    assert "--again" in " ".join(advice(first, gate))
    assert "up to 3 % is nothing" in " ".join(notes_after(first, gate))
    cleared = compared(old, slow, again=fast)
    assert not gate.failures(cleared)
    assert "the gate passed" in " ".join(verdict(cleared, gate))
    confirmed = compared(old, slow, again=noisy(3, a=1.5, b=1, c=1, d=1))
    assert gate.failures(confirmed)
    assert not [*advice(confirmed, gate)]
    # What the second session did not measure is not cleared.
    assert gate.failures(compared(old, slow, again=fast.filter(pl.col("backend") != "a")))


def test_a_lost_board_is_cleared_by_a_second_run_that_solves_it():
    old = campaign(a=times(1), b=times(1), c=times(1))
    lost = campaign(a=[*times(1)[:-1], None], b=times(1), c=times(1))
    assert "1 board no longer solved" in Gate(0.1).failures(compared(old, lost))
    assert not Gate(0.1).failures(compared(old, lost, again=old))
    assert Gate(0.1).failures(compared(old, lost, again=lost))


@pytest.mark.parametrize("above", [0.0, 0.05, 0.3])
def test_a_gate_would_not_have_seen_a_smaller_change_and_would_a_larger_one(above):
    old, new = in_turns(noisy(0, 0.2, a=1.0), noisy(1, 0.2, a=1.0))
    gate = Gate(above)
    share, name = gate.unseen(compared(old, new))
    assert name == "e x a"
    assert share > above
    typical = changes.times(old, new).table["typical_ratio"][0]
    for factor, trips in ((1 + share - 1e-6, False), (1 + share + 1e-6, True)):
        slower = new.with_columns(solve_s=pl.col("solve_s") * factor / typical)
        assert bool(len(gate.slower(compared(old, slower)))) is trips


def test_a_gate_that_is_blind_fails_if_it_should_not_be():
    old, new = in_turns(noisy(0, 0.5, a=1.0), noisy(1, 0.5, a=1.0))
    found = compared(old, new)
    assert not Gate(0.1).failures(found)
    share, _ = Gate(0.1).unseen(found)
    (why,) = Gate(0.1, blind_above=0.1).failures(found)
    assert f"a change of e x a by less than {100 * share:.0f} % would not have been seen" in why
    assert not Gate(0.1, blind_above=share + 0.01).failures(found)
    few = compared(*in_turns(campaign(a=[1.0, 2.0]), campaign(a=[1.0, 2.0])))
    assert "no change of e x a" in " ".join(Gate(0.1, blind_above=9.0).failures(few))


def test_two_old_campaigns_show_no_noise():
    with pytest.raises(InputError, match="two old campaigns"):
        compared(noisy(0, **EQUAL), noisy(1, **EQUAL), earlier=[noisy(2, **EQUAL)])


def test_two_backends_of_one_folder_are_compared(nqbench, tmp_path):
    old, new = in_turns(noisy(0, a=1.0), noisy(1, a=1.4))
    both = pl.concat([old, new.with_columns(backend=pl.lit("z"), run_id="z" + pl.col("run_id"))])
    (tmp_path / "both.csv").write_bytes(exported(both))
    done = nqbench("compare", "both.csv", "--old", "a", "--new", "z", "--fail-above", "5%")
    assert "Times (old and new in turns; ratios as measured)" in done.stdout
    assert "the gate failed: 1 combination: typically more than 5 % slower" in done.stderr
    assert "Not compared" not in done.stdout
    assert done.returncode == 1
    done = nqbench("compare", "both.csv", "--old", "z", "--new", "a", "--fail-above", "5%")
    assert "nqbench: the gate passed; with these runs, a change of" in done.stderr
    assert done.returncode == 0
