"""Commands that write to one results folder at the same time."""

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from addons import is_here, needs_addon
from databases import records

import nqbench as api
from nqbench.cli.options.results_folder import store_path
from nqbench.records.lock import alone
from nqbench.records.store import Store


def of_sizes(sizes):
    words = ["run", "--n", sizes, "--encoding", "pairwise,alo-row"]
    return [*words, "--backend", "minisat22,glucose4", "--no-plots"]


CAMPAIGN = of_sizes("4..8")


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "nqbench", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def measured(folder):
    """How many runs each session has measured."""
    with Store(store_path(folder / "results"), read_only=True) as store:
        return [session.runs for session in store.sessions()]


def table(text):
    return [line.split() for line in text.splitlines() if "/" in line]


def test_two_campaigns_measure_nothing_twice(nqbench, tmp_path):
    """What each prints is what the store has."""
    both = [start(tmp_path, *CAMPAIGN) for _ in range(2)]
    said = [each.communicate(timeout=120) for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    assert measured(tmp_path) == [60]
    assert len(records(tmp_path)) == 60
    shown = nqbench("summary").stdout
    assert table(shown) == table(said[0][0]) == table(said[1][0]) != []
    (waited,) = [err for _, err in said if "waiting until it ends" in err]
    (other,) = [each.pid for each, (_, err) in zip(both, said, strict=True) if err is not waited]
    assert f"nqbench.db is in use by `nqbench {' '.join(CAMPAIGN)}` (process {other}, " in waited
    assert "all 60 runs are recorded already" in waited


def test_two_campaigns_share_what_both_ask_for(tmp_path):
    """And what only one of them asks for is measured, too."""
    both = [start(tmp_path, *of_sizes(each)) for each in ("4..6", "5..7")]
    for each in both:
        out, err = each.communicate(timeout=120)
        assert each.returncode == 0, err
        assert {row[2] for row in table(out)} == {"9/9"}
    assert sorted(measured(tmp_path)) == [12, 36]
    assert len(records(tmp_path)) == 48


def test_after_a_kill_the_one_that_waited_goes_on(tmp_path):
    first = start(tmp_path, *CAMPAIGN)
    store, deadline = store_path(tmp_path / "results"), time.monotonic() + 60
    while not store.exists() or len(started(tmp_path)) < 10:
        assert time.monotonic() < deadline
    first.send_signal(signal.SIGSTOP)  # so that it does not end before
    second = start(tmp_path, *CAMPAIGN)
    assert any("waiting until it ends" in line for line in second.stderr)
    first.kill()
    first.communicate()
    kept = started(tmp_path)
    out, err = second.communicate(timeout=120)
    assert second.returncode == 0, err
    assert len(table(out)) == 4
    after = started(tmp_path)
    assert len(after) == 60
    assert kept <= after
    assert 10 <= len(kept) < 60
    assert measured(tmp_path) == [60 - len(kept)]


def started(folder):
    """When each run was started that is recorded."""
    try:
        return set(records(folder, "run_id, started_at"))
    except sqlite3.OperationalError:  # the table does not exist yet
        return set()


OF_EIGHT = ("--n", "8", "--encoding", "pairwise", "--no-plots")
RECORDED = ("run", *OF_EIGHT, "--backend", "minisat22")


@pytest.fixture(scope="module")
def made(nqbench_in, tmp_path_factory):
    """A folder with a few records, an export and a bundle of them, and an empty store."""
    folder = tmp_path_factory.mktemp("recorded")
    commands = [RECORDED, ("export", "--format", "csv", "--output", "records.csv")]
    if is_here("bundle"):
        commands.append(("bundle", "bundle.zip", "--no-plots"))
    for words in commands:
        done = nqbench_in(folder)(*words)
        assert done.returncode == 0, done.stderr
    with Store(store_path(folder / "other")):
        pass
    return folder


@pytest.fixture
def recorded(made, tmp_path):
    """A copy of that folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@needs_addon("bundle", "race")
@pytest.mark.parametrize(
    "asked",
    [
        RECORDED,
        ("race", *OF_EIGHT, "--backend", "minisat22,glucose4"),
        ("optimum", "--family", "queen-domination", "--n", "3"),
        ("check",),
        ("merge", "other"),
        ("import", "records.csv"),
        ("replay", "bundle.zip", "--results", "results"),
    ],
    ids=lambda asked: asked[0],
)
def test_what_writes_waits(recorded, asked):
    with alone(store_path(recorded / "results"), "somebody"):
        command = start(recorded, *asked)
        lines = iter(command.stderr)
        assert any("is in use by `somebody`" in line for line in lines)
        before = started(recorded)
    _, err = command.communicate(timeout=120)
    assert command.returncode == 0, err
    assert "Traceback" not in err
    assert before <= started(recorded)
    assert not (recorded / "results" / "nqbench.db-lock").exists()


@needs_addon("bundle", "compare")
def test_what_only_reads_does_not_wait(typed, recorded):
    with alone(store_path(recorded / "results"), "somebody"):
        for asked in (
            ("run", "--n", "8", "--dry-run"),
            ("summary",),
            ("export", "--format", "jsonl"),
            ("report",),
            ("plot", "--kind", "phases"),
            ("bundle", "again.zip", "--no-plots"),
            ("compare", "results", "results"),
        ):
            done = typed(*asked)
            assert done.returncode == 0, done.stderr
            assert "in use" not in done.stderr


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_waiting_can_be_interrupted(recorded, number, status):
    before = started(recorded)
    with alone(store_path(recorded / "results"), "somebody"):
        command = start(recorded, *CAMPAIGN)
        assert any("in use by" in line for line in command.stderr)
        command.send_signal(number)
        out, err = command.communicate(timeout=60)
    assert command.returncode == status
    assert "Traceback" not in err
    assert not out
    assert started(recorded) == before


def test_calls_from_python_wait_as_well(tmp_path):
    results = tmp_path / "results"
    calls = [
        lambda: api.run(6, encodings="pairwise", backends="minisat22", results=results),
        lambda: api.optimum("queen-domination", 3, results=results),
        lambda: api.check(results),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as warned, ThreadPoolExecutor(1) as pool:
            warnings.simplefilter("always")
            with alone(store_path(results), "somebody"):
                called = pool.submit(call)
                deadline = time.monotonic() + 60
                while not any("in use by `somebody`" in str(each.message) for each in warned):
                    assert time.monotonic() < deadline
                    assert not called.done()
                    time.sleep(0.01)
            assert called.result(60) is not None


def test_a_budget_begins_after_the_wait(monkeypatch, tmp_path):
    @contextmanager
    def waits(*_):
        yield 1000.0

    monkeypatch.setattr("nqbench.campaign.job.lock.alone", waits)
    found = api.run(
        4, encodings="pairwise", backends="minisat22", repeat=1, budget=0.001, results=tmp_path
    )
    assert len(found) == 1


def test_the_table_of_json_is_that_of_the_store(nqbench, tmp_path):
    both = [
        start(tmp_path, "optimum", "--family", "queen-domination", "--n", "4..5", "--json")
        for _ in range(2)
    ]
    said = [each.communicate(timeout=120) for each in both]
    found = [json.loads(out) for out, _ in said]
    assert found[0] == found[1]
    runs = sum(row["runs"] for row in found[0])
    assert sum(measured(tmp_path)) == runs == len(records(tmp_path))
