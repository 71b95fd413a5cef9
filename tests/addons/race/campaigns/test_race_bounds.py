"""What a race says about solvers that are slow in one phase: whoever runs first, the winner is the
best of the grid in the time that decides, and each capped record has a lower bound of that time.
"""

from dataclasses import replace

import polars as pl
import pytest
from databases import database
from measuring import campaign

import nqbench
from nqbench.addons.race import live
from nqbench.campaign import runner
from nqbench.common.vocabulary import Outcome, Phase, Task
from nqbench.records.sources import STORE_NAME

pytestmark = pytest.mark.usefixtures("faulty_plugin")

SEEDS = (0, 2)
"""Of races on these boards: in each of the two, another of two combinations is measured first."""


def raced(seed, *backends, encodings="pairwise", **options):
    return nqbench.race("6..13", encodings=encodings, backends=backends, seed=seed, **options)


@pytest.mark.parametrize(
    ("metric", "better", "worse"),
    [
        ("solve_s", "slow-loads", "slow-solves"),
        ("solve_s", "slow-solves-in-load", "slow-solves"),
        ("total_s", "minisat22", "slow-decodes"),
        ("cpu_s", "slow-solves", "slow-toils-in-load"),
    ],
)
def test_the_winner_does_not_depend_on_who_is_first(metric, better, worse):
    first = set()
    for seed in SEEDS:
        race = raced(seed, better, worse, metric=metric)
        assert race.winner == f"pairwise x {better}", str(race)
        first.add(race.records.sort("started_at")["backend"][0])
        check_bounds(race.records, metric)
    assert first == {better, worse}


def check_bounds(records, metric):
    """Each capped run has a lower bound of what decides, which is known: its solver sleeps."""
    capped = records.filter(outcome="capped")
    assert capped["stopped_in"].null_count() == 0
    parts = capped.select("load_at_least_s", "solve_at_least_s", "decode_at_least_s")
    assert (parts.sum_horizontal() <= capped["wall_s"]).all()
    if metric == "solve_s":
        assert set(capped["stopped_in"]) <= {"solve"}
        assert (capped["solve_at_least_s"] >= capped["cap_s"]).all()


def test_a_slow_encoding_counts_only_if_the_total_decides():
    for seed in SEEDS:
        options = {"encodings": ["pairwise", "slow-encodes"], "metric": "total_s"}
        race = raced(seed, "minisat22", **options)
        assert race.winner == "pairwise x minisat22", str(race)
        capped = race.records.filter(outcome="capped")
        assert (capped["encode_s"] >= 0.07).all()


def test_what_is_slow_before_the_first_phase_does_not_leave_because_of_it():
    """Of four combinations, two solve slowly, and two start slowly."""
    for seed in SEEDS:
        encodings = ["pairwise", "slow-starts-late"]
        race = raced(seed, "minisat22", "slow-solves", encodings=encodings)
        assert race.leader.endswith("minisat22")
        gone = race.table().filter(pl.col("left").is_not_null())["combination"]
        assert {f"{each} x slow-solves" for each in encodings} <= set(gone)
        assert set(race.records.filter(outcome="capped")["backend"]) <= {"slow-solves"}


CAPS = {"cap_s": 0.1, "cap_of": "solve_s", "besides_s": 0.6}


def capped(backend, task=Task.FIRST, encoding="pairwise", **caps):
    (run,) = campaign(encoding=encoding, backend=backend, sizes=(6,), time_s=20.0, task=task)
    return replace(run, **CAPS | caps)


def test_a_capped_record_says_where_it_was_and_bounds_each_phase():
    """And a worker that lies about that gains nothing: what it says is bounded by what was seen."""
    in_full = {"cap_of": "solve_s", "cap_s": 5.0}
    runs = {
        "loads": capped("slow-loads"),
        "solves": capped("slow-solves"),
        "all": capped("slow-solves", Task.ALL, cap_s=0.45),
        "never loads": capped("slow-never-loads"),
        "total": capped("slow-never-loads", cap_of="total_s", repeat=1),
        "encoded": capped("minisat22", cap_of="total_s", encoding="slow-encodes", cap_s=0.05),
        "wall": capped("slow-never-loads", cap_of="wall_s", repeat=2),
        "cpu": capped("slow-toils-in-load", cap_of="cpu_s", cap_s=0.06),
        "hides": capped("slow-hides", besides_s=0.1),
        "hides in full": capped("slow-hides", repeat=1, **in_full),
        "boasts": capped("slow-boasts"),
        "infinity": capped("slow-shows-infinity"),
        "nan": capped("slow-shows-nan", besides_s=0.1),
        "past": capped("slow-shows-past"),
        "future": capped("slow-shows-future", besides_s=0.1),
    }
    ids = {run.id: name for name, run in runs.items()}
    found = {ids[record.run_id]: record for record in runner.measured(list(runs.values()))}
    assert found["loads"].outcome is Outcome.FINISHED
    assert found["hides in full"].solve_s >= 0.3
    where = {name: each.stopped_in for name, each in found.items()}
    for name in (
        "solves",
        "all",
        "never loads",
        "total",
        "encoded",
        "wall",
        "cpu",
        "hides",
        "future",
    ):
        record = found[name]
        assert record.outcome is Outcome.CAPPED, name
        assert "stopped by a race at" in record.message
        assert (record.load_s, record.solve_s, record.answer) == (None, None, None)
    assert where["solves"] == where["all"] == Phase.SOLVE
    assert where["never loads"] == where["total"] == where["wall"] == where["cpu"] == Phase.LOAD
    assert 0.1 <= found["solves"].solve_at_least_s < 0.3
    assert found["all"].solve_at_least_s >= 0.45
    assert found["never loads"].solve_at_least_s == 0
    assert found["never loads"].wall_s >= 0.6
    assert found["total"].load_at_least_s >= 0.1 - found["total"].encode_s
    assert found["encoded"].encode_s >= 0.07
    assert found["wall"].wall_s >= 0.1
    assert found["cpu"].cpu_s >= 0.06
    assert found["hides"].solve_at_least_s < 0.1
    assert found["future"].solve_at_least_s == 0
    for name in ("boasts", "infinity", "nan", "past"):
        assert found[name].outcome is Outcome.CRASHED, name
        assert " showed " in found[name].message


def test_who_never_loads_is_not_judged_by_its_solve_time(monkeypatch):
    monkeypatch.setattr(live, "_LEAST_BESIDES_S", 0.2)
    race = raced(0, "minisat22", "slow-never-loads", time_limit=1)
    said = str(race)
    assert race.winner == "pairwise x minisat22"
    assert "before it began to solve" in said
    assert "Typically worse" not in said
    assert "times as long" not in said
    assert "capped" in set(race.records["outcome"])


def test_a_race_measures_again_what_an_earlier_schema_says_was_capped(tmp_path):
    """Such a run may have been stopped while it loaded."""
    options = {"metric": "solve_s", "results": tmp_path}
    before = raced(0, "minisat22", "slow-solves", **options)
    assert raced(0, "minisat22", "slow-solves", **options).records.equals(before.records)
    with database(tmp_path / STORE_NAME) as db:
        names = ("stopped_in", "load_at_least_s", "solve_at_least_s", "decode_at_least_s")
        db.execute(f"UPDATE records SET {', '.join(f'{name} = NULL' for name in names)}")
    after = raced(0, "minisat22", "slow-solves", **options)
    capped = after.records.filter(outcome="capped")
    assert capped["solve_at_least_s"].null_count() == 0
    assert set(capped["started_at"]).isdisjoint(before.records["started_at"])
    assert after.winner == before.winner
