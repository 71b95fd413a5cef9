"""A campaign that is killed, lacks resources, or runs beside another one."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from databases import database
from made_records import record_of
from places import FAULTY

USUAL = {"--n": "4..9", "--repeat": "3"}
TWO = ["--encoding", "pairwise,alo-row"]
FEW = [*TWO, "--backend", "minisat22,glucose4"]
RUNS = 6 * 2 * 2 * 3


def command(*more):
    """The campaign with more options, each in place of the usual one."""
    usual = [word for option in USUAL.items() if option[0] not in more for word in option]
    return [sys.executable, "-m", "nqbench", *usual, "--no-plots", *more]


def start(folder, *more, **options):
    """The campaign with more options; with a few combinations, unless these name a backend."""
    return subprocess.Popen(
        command(*([] if "--backend" in more else FEW), *more),
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(FAULTY), "TMPDIR": str(temporary(folder))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.fixture
def campaign(nqbench_in, tmp_path):
    """The campaign with more options in a folder, until its end."""

    def measure(*more, folder=tmp_path):
        few = [] if "--backend" in more else FEW
        return nqbench_in(folder)(*command(*few, *more)[3:])

    return measure


def temporary(folder):
    """The folder for its temporary files."""
    path = folder / "temporary"
    path.mkdir(exist_ok=True)
    return path


def recorded(folder):
    path = folder / "results" / "nqbench.db"
    if not path.exists():
        return set()
    with database(path, timeout=60) as db:
        (intact,) = db.execute("PRAGMA integrity_check").fetchone()
        assert intact == "ok"
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        rows = db.execute("SELECT run_id FROM records") if "records" in tables else []
        return {run_id for (run_id,) in rows}


def processes_in(folder):
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").resolve() == folder:
                found.append(int(path.name))
        except OSError:
            continue
    return found


def test_killed_at_random_moments_nothing_finished_is_lost(tmp_path):
    """Alternately while it starts, and after it has recorded something."""
    moments = random.Random(5)
    repeats = "8"
    kept = set()
    for attempt in range(4):
        running = start(tmp_path, "--repeat", repeats)
        while attempt % 2 and running.poll() is None and len(recorded(tmp_path)) == len(kept):
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.5))
        running.send_signal(signal.SIGKILL)
        running.communicate()
        for _ in range(500):
            if not processes_in(tmp_path):
                break
            time.sleep(0.02)
        assert processes_in(tmp_path) == []
        now = recorded(tmp_path)
        assert kept <= now
        kept = now
    assert len(kept) >= 3
    assert list(temporary(tmp_path).iterdir()) == []
    last = start(tmp_path, "--repeat", repeats)
    _, said = last.communicate(timeout=300)
    assert last.returncode == 0, said
    assert len(recorded(tmp_path)) == RUNS // 3 * int(repeats)
    assert kept <= recorded(tmp_path)


def test_two_campaigns_on_one_store_both_complete(tmp_path):
    both = [start(tmp_path, "--no-pin"), start(tmp_path, "--no-pin", "--seed", "1")]
    for campaign in both:
        _, said = campaign.communicate(timeout=120)
        assert campaign.returncode == 0, said
        assert "lock" not in said
    assert len(recorded(tmp_path)) == 2 * RUNS


def no_room():
    """Limit the size of files, which to a program looks like a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


def test_a_full_disk_is_one_message_and_the_store_stays_intact(tmp_path):
    campaign = start(tmp_path, "--repeat", "4", preexec_fn=no_room)
    _, said = campaign.communicate(timeout=120)
    assert campaign.returncode == 2
    assert "cannot use the store results/nqbench.db" in said.splitlines()[-1]
    assert "Traceback" not in said
    kept = recorded(tmp_path)
    again = start(tmp_path, "--repeat", "4")
    _, said = again.communicate(timeout=120)
    assert again.returncode == 0, said
    assert kept < recorded(tmp_path)


def test_a_folder_that_cannot_be_written_is_one_message(campaign):
    refused = campaign("--results", "/proc/nqbench")
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert "cannot use the store /proc/nqbench/nqbench.db" in line


def test_a_backend_that_hangs_while_it_is_imported_is_unavailable(tmp_path):
    # A separate distribution, since every list of backends would otherwise wait for it.
    metadata = tmp_path / "hanging-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hanging\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[nqbench.backends]\nhangs = faulty:Hangs\n")
    campaign = start(tmp_path, "--backend", "hangs,minisat22", "--encoding", "pairwise")
    _, said = campaign.communicate(timeout=120)
    assert campaign.returncode == 1, said
    assert "hangs is unavailable: stopped at the time limit" in said
    assert "Traceback" not in said


def records(folder, *fields):
    with database(folder / "results" / "nqbench.db") as db:
        return db.execute(f"SELECT {', '.join(fields)} FROM records").fetchall()


def test_runs_are_pinned_and_it_is_recorded(campaign, tmp_path):
    campaign("--n", "4", "--backend", "minisat22")
    ((cpus,),) = set(records(tmp_path, "cpus"))
    assert int(cpus) in os.sched_getaffinity(0)
    campaign("--n", "5", "--backend", "minisat22", "--no-pin")
    assert {c for (c,) in records(tmp_path, "cpus")} == {cpus, ""}


def test_each_repeat_of_a_shuffled_formula_is_another_one(campaign, tmp_path):
    arguments = "--n 20 --encoding pairwise --backend glucose4 --repeat 5 --shuffle-clauses"
    for seed in ("1", "1", "2"):
        done = campaign(*arguments.split(), seed)
        assert done.returncode == 0, done.stderr
    found = records(tmp_path, "shuffle", "repeat", "conflicts", "verdict", "instance_digest")
    assert len(found) == 10
    assert len({conflicts for _, _, conflicts, _, _ in found}) > 5
    assert {verdict for *_, verdict, _ in found} == {"verified"}
    assert len({digest for *_, digest in found}) == 1


def test_larger_boards_are_skipped_after_timeouts_and_count_as_unsolved(campaign, tmp_path):
    command = ["--n", "4..8", "--encoding", "pairwise", "--backend", "faulty-sleeps,minisat22"]
    limits = ["--repeat", "1", "--time-limit", "1s", "--give-up-after", "2"]
    done = campaign(*command, *limits)
    assert done.returncode == 0, done.stderr
    found = records(tmp_path, "backend", "n", "outcome", "message")
    outcomes = {n: outcome for backend, n, outcome, _ in found if backend == "faulty-sleeps"}
    assert outcomes == {4: "timeout", 5: "timeout", 6: "skipped", 7: "skipped", 8: "skipped"}
    assert [line.split()[0] for line in done.stdout.splitlines() if " 0/5 " in line] == ["pairwise"]
    assert "\n7 runs in " in done.stderr
    said = campaign(*command, *limits).stderr
    assert "3 skipped" in said
    assert "\n0 runs in " in said
    with database(tmp_path / "results" / "nqbench.db") as db:
        ((facts,),) = db.execute("SELECT facts FROM sessions").fetchall()
    assert json.loads(facts)["runs"] == 7


def test_a_budget_leaves_large_boards_for_another_time(campaign, tmp_path):
    """Five runs that last a third of the budget each. A machine that needs a small budget to start
    gets a larger one.
    """
    command = ["--n", "4..8", "--encoding", "pairwise", "--backend", "faulty-sleeps"]
    for budget_s in (3, 15, 75):
        limits = ["--repeat", "1", "--time-limit", f"{budget_s / 3}s"]
        done = campaign(*command, *limits, "--budget", f"{budget_s}s", "--quiet")
        if done.returncode == 0:
            break
        assert "the budget was used up before the first run" in done.stderr
    assert "the budget is used up" in done.stderr
    assert min(n for (n,) in records(tmp_path, "n")) == 4
    assert 1 <= len(records(tmp_path, "n")) < 5
    campaign(*command, *limits)
    assert len(records(tmp_path, "n")) == 5


def test_a_budget_that_is_used_up_at_once_is_one_message(campaign, nqbench):
    done = campaign("--budget", "1ms")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == "nqbench: the budget was used up before the first run"
    empty = nqbench("summary")
    assert (empty.returncode, empty.stdout) == (2, "")
    assert "nqbench: results has no records yet" in empty.stderr


def test_a_session_is_noted_with_its_conditions(campaign, tmp_path):
    said = campaign("--n", "4").stderr
    assert "% of the time was spent in the runs" in said
    with database(tmp_path / "results" / "nqbench.db") as db:
        ((facts,),) = db.execute("SELECT facts FROM sessions").fetchall()
    session = json.loads(facts)
    assert session["command"].startswith("nqbench --")
    assert session["runs"] == 12
    assert session["started"]["at"] < session["ended"]["at"]


def test_an_interrupted_session_is_noted_as_well(tmp_path):
    running = start(tmp_path, "--repeat", "20")
    while len(recorded(tmp_path)) < 2:  # so that one is counted
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    with database(tmp_path / "results" / "nqbench.db") as db:
        ((facts,),) = db.execute("SELECT facts FROM sessions").fetchall()
    # The signal may come after the record is stored and before it is counted.
    assert 0 <= len(recorded(tmp_path)) - json.loads(facts)["runs"] <= 1


def test_measured_again_a_record_stays_until_its_new_one_is_there(tmp_path):
    command = ["--n", "4..5", *TWO, "--backend", "minisat22", "--repeat", "45"]
    start(tmp_path, *command).communicate(timeout=60)
    before = dict(records(tmp_path, "run_id", "started_at"))
    running = start(tmp_path, *command, "--fresh")
    while dict(records(tmp_path, "run_id", "started_at")) == before:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "of 180 runs were measured and are recorded; the others stay as they were" in said
    after = dict(records(tmp_path, "run_id", "started_at"))
    assert after.keys() == before.keys()
    assert any(after[run_id] == started for run_id, started in before.items())


def test_measured_again_nothing_is_lost_if_no_run_can_be_started(tmp_path):
    words = command("--n", "4", *TWO, "--backend", "minisat22")
    subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60)
    before = records(tmp_path, "run_id", "started_at")
    assert len(before) == 6
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nif 'nqbench.measure' in sys.orig_argv:\n    os._exit(1)\n"
    )
    broken = subprocess.run(
        [*words, "--fresh"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert broken.returncode == 1
    assert "a fork server died with status 1 before its first run" in broken.stderr
    assert records(tmp_path, "run_id", "started_at") == before


def test_a_plan_is_estimated_from_what_is_recorded(campaign):
    campaign(*TWO, "--backend", "minisat22")
    shown = campaign("--n", "4..10", *FEW, "--dry-run").stdout
    assert "36 of 84 runs are recorded.\n6 runs of measured combinations: " in shown
    assert ", by recorded runs.\n" in shown
    assert "42 runs of new combinations: at most 21 min, if each reaches its time limit." in shown


def test_what_cannot_be_merged_is_refused(nqbench, store):
    for other, why in (("results/nqbench.db", "is the store itself"), ("no.db", "no results at")):
        refused = nqbench("merge", other)
        assert refused.returncode == 2
        assert why in refused.stderr


def test_files_for_mkplot_need_a_folder(nqbench, store):
    store.add(record_of(8))
    refused = nqbench("export", "--format", "mkplot")
    assert (refused.returncode, "add --output FOLDER" in refused.stderr) == (2, True)
