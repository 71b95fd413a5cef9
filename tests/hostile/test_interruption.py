"""A campaign that is killed or interrupted keeps its finished runs and can be resumed."""

import contextlib
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from databases import records
from misbehaviour import state

from nqbench import isolate
from nqbench.cli import app
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits

ALIVE = [
    "--n", "4..12", "--encoding", "pairwise,alo-row", "--backend", "minisat22,glucose4",
    "--repeat", "3", "--no-plots",
]  # fmt: skip


def start(tmp_path, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "nqbench", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_records(tmp_path, count):
    store = tmp_path / "results" / "nqbench.db"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if store.exists():
            try:
                if len(records(tmp_path)) >= count:
                    return
            except sqlite3.OperationalError:
                pass  # the table does not exist yet
        time.sleep(0.005)
    raise AssertionError(f"no {count} records within a minute")


def servers_of(pid):
    """Two on a machine with a core for each."""
    servers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    assert len(servers) in (1, 2)
    return list(map(int, servers))


def test_after_a_kill_the_campaign_goes_on_where_it_was(nqbench, tmp_path):
    campaign = start(tmp_path, *ALIVE)
    wait_for_records(tmp_path, 20)
    servers = servers_of(campaign.pid)
    campaign.kill()
    campaign.communicate()
    kept = set(records(tmp_path))
    assert 20 <= len(kept) < 108
    deadline = time.monotonic() + 60
    while any(state(server) != "Z" for server in servers):
        assert time.monotonic() < deadline, "a fork server outlives its campaign"
        time.sleep(0.01)

    again = nqbench(*ALIVE)
    assert again.returncode == 0
    assert f"{108 - len(kept)}/{108 - len(kept)} runs" in again.stderr
    everything = set(records(tmp_path))
    assert len(everything) == 108
    assert kept <= everything

    # Each of the nine boards is solved three times by each combination.
    lines = [line.split()[:3] for line in again.stdout.splitlines() if "/" in line]
    every = itertools.product(("alo-row", "pairwise"), ("glucose4", "minisat22"))
    assert sorted(lines) == [[*pair, "27/27"] for pair in every]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_campaign_keeps_what_it_finished(tmp_path, number, status):
    campaign = start(tmp_path, *ALIVE)
    wait_for_records(tmp_path, 10)
    servers = servers_of(campaign.pid)
    campaign.send_signal(number)
    _, said = campaign.communicate(timeout=120)
    assert campaign.returncode == status
    assert "Traceback" not in said
    assert 10 <= len(records(tmp_path)) < 108
    assert {state(server) for server in servers} == {"Z"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_command_line_is_imported_has_no_traceback(tmp_path, number):
    (tmp_path / "click.py").write_text(
        f"import os, time\nos.kill(os.getpid(), {int(number)})\ntime.sleep(60)\n"
    )
    for command in ([sys.executable, "-m", "nqbench"], [Path(sys.executable).with_name("nqbench")]):
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (-number, "")


FROM_PYTHON = """
import nqbench
options = {"encodings": "pairwise,alo-row", "backends": "minisat22,glucose4", "repeat": 5}
nqbench.run("4..12", results=RESULTS, **options)
"""


@pytest.mark.parametrize("results", ["results", None])
def test_a_notebook_that_is_stopped_says_what_becomes_of_its_runs(tmp_path, results):
    code = FROM_PYTHON.replace("RESULTS", repr(results))
    if results is None:
        code = code.replace("**options", "progress=True, **options")
    asked = [sys.executable, "-c", code]
    campaign = subprocess.Popen(asked, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    if results:
        wait_for_records(tmp_path, 20)
    else:
        assert "runs" in campaign.stderr.readline()  # the first line of the progress
    campaign.send_signal(signal.SIGINT)
    said = campaign.communicate(timeout=60)[1]
    assert "KeyboardInterrupt" in said
    if results is None:
        assert "are lost" in said
        return
    kept = len(records(tmp_path))
    assert 20 <= kept < 180
    assert "the same call continues from there" in said
    finished = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert len(records(tmp_path)) == 180
    sessions = sqlite3.connect(tmp_path / "results" / "nqbench.db")
    with contextlib.closing(sessions):
        assert len(sessions.execute("SELECT * FROM sessions").fetchall()) == 2


@pytest.mark.parametrize("raised", [KeyboardInterrupt, app.Terminated])
@pytest.mark.parametrize("function", ["wait4", "sched_getaffinity", "close"])
def test_a_signal_while_a_process_is_reaped_is_the_only_error(monkeypatch, raised, function):
    usual, calls = getattr(os, function), []

    def interrupted(*arguments):
        done = usual(*arguments)
        calls.append(arguments)
        # The descriptors that follow the process are closed after the three of the other ends.
        if len(calls) == (5 if function == "close" else 1):
            raise raised
        return done

    monkeypatch.setattr(os, function, interrupted)
    with pytest.raises(raised) as error:
        isolate.call(lambda: b"", Limits(time_s=60))
    assert error.value.__context__ is None


def test_an_error_while_a_signal_is_handled_is_not_shown(capsys):
    for raised, status in ((app.Terminated(143), 143), (KeyboardInterrupt(), 130)):
        for later in (ProcessLookupError(3, "x"), InputError("x"), ValueError("x")):
            later.__context__ = OSError(5, "y")
            later.__context__.__context__ = raised
            assert app._status_of_signal(later) == status
            assert capsys.readouterr().err.count("\n") == 1
    assert app._status_of_signal(ValueError("x")) is None


def test_a_termination_that_is_dropped_on_its_way_comes_again():
    """Python drops it while it folds the constants of a module that it compiles."""
    code = """if True:
        import os, signal, time
        from nqbench.cli import app
        signal.signal(signal.SIGTERM, app._terminate)
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        except app.Terminated:
            pass
        try:
            time.sleep(60)
        except app.Terminated:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            print("again")
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("again\n", "", 0)
