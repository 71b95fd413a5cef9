"""What fails costs its own runs and no others."""

import subprocess
import sys

import pytest
from measuring import campaign

from nqbench.campaign.runner import measured
from nqbench.common.vocabulary import Outcome, Verdict

pytestmark = pytest.mark.usefixtures("faulty_plugin")


@pytest.mark.parametrize(
    ("backend", "outcome", "message"),
    [
        ("faulty-sleeps", Outcome.TIMEOUT, "time limit of 1 s"),
        ("faulty-aborts", Outcome.CRASHED, "SIGABRT"),
        ("faulty-exits", Outcome.CRASHED, "exit status 0 without an answer"),
        ("faulty-raises", Outcome.CRASHED, "ArithmeticError: the solver is confused"),
        ("faulty-hoards", Outcome.MEMOUT, "out of memory"),
        ("faulty-missing", Outcome.UNAVAILABLE, "pip install no-such-distribution"),
        ("faulty-unprepared", Outcome.UNAVAILABLE, "it cannot be prepared: no room"),
    ],
)
def test_a_failing_backend_is_recorded_and_the_next_run_is_well(backend, outcome, message):
    time_s = 1.0 if outcome is Outcome.TIMEOUT else 60.0  # on a busy machine
    bad, good = measured(campaign(backend=backend, time_s=time_s) + campaign())
    assert (bad.outcome, bad.answer, bad.verdict) == (outcome, None, Verdict.UNCHECKED)
    assert message in bad.message
    assert (good.outcome, good.verdict) == (Outcome.FINISHED, Verdict.VERIFIED)


@pytest.mark.parametrize(
    ("encoding", "outcome", "message"),
    [
        ("faulty-slow", Outcome.TIMEOUT, "while encoding: stopped at the time limit"),
        ("faulty-literal", Outcome.CRASHED, "while encoding: ValueError: a literal"),
    ],
)
def test_a_failing_encoding_fails_all_its_runs_but_is_tried_once(
    monkeypatch, tmp_path, encoding, outcome, message
):
    time_s = 1.0 if outcome is Outcome.TIMEOUT else 60.0
    monkeypatch.setenv("NQBENCH_TEST_ATTEMPTS", str(tmp_path / "attempts"))
    runs = [
        run for seed in range(3) for run in campaign(encoding=encoding, seed=seed, time_s=time_s)
    ]
    records = measured(runs)
    assert [record.outcome for record in records] == [outcome] * 3
    assert message in records[-1].message
    assert (tmp_path / "attempts").read_text() == "tried\n"


SMALL = ["--n", "4", "--backend", "minisat22", "--encoding", "pairwise", "--no-plots"]
AS_INSTALLED = "from nqbench.cli import main; main()"


@pytest.mark.parametrize("options", [["-P", "-m", "nqbench"], ["script/nqbench"]])
def test_files_in_the_current_folder_are_not_taken_for_modules(options, tmp_path):
    (tmp_path / "random.py").write_text("raise SystemExit('not the module of that name')\n")
    (tmp_path / "script").mkdir()
    (tmp_path / "script" / "nqbench").write_text(AS_INSTALLED)
    ran = subprocess.run(
        [sys.executable, *options, *SMALL], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr


def test_a_plugin_in_the_current_folder_is_found_where_python_looks_there(tmp_path):
    metadata = tmp_path / "local-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: local\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[nqbench.encodings]\nlocal = local:Local\n")
    source = "from nqbench.encodings.pairwise import Pairwise\nclass Local(Pairwise): pass\n"
    (tmp_path / "local.py").write_text(source)
    command = [sys.executable, "-m", "nqbench", *SMALL, "--encoding", "local"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "unavailable" not in ran.stderr
