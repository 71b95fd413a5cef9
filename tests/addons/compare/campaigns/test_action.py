"""The action works here, step by step as GitHub runs it."""

import json
import os
import re

import pytest
from action_job import STEPS, Job, quick_nqbench, script

CAMPAIGN = (
    "repeat = 1\n[[campaign]]\nn = '6..8'\nencoding = ['pairwise']\n"
    "backend = ['minisat22', 'glucose4']\n"
)
GH = """#!/bin/sh
echo "$@" > {folder}/gh-arguments
while [ "$1" != --body-file ]; do shift; done
cp "$2" {folder}/comment.md
exit {status}
"""


@pytest.fixture(scope="module")
def path(nqbench_in, tmp_path_factory):
    with quick_nqbench(nqbench_in, tmp_path_factory.mktemp("bin")) as folder:
        yield folder


@pytest.fixture
def job(path, tmp_path):
    """Run the action with some inputs, the others at their defaults, and with a comment."""

    def run(status=0, **given):
        script(tmp_path / "gh", GH.format(folder=tmp_path, status=status))
        both = f"{tmp_path}{os.pathsep}{path}"
        return Job(tmp_path, both, **{"comment": "true", **given}).run()

    return run


@pytest.fixture(scope="module")
def measured(nqbench_in, tmp_path_factory):
    """The records of a campaign."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "campaign.toml").write_text(CAMPAIGN)
    nqbench = nqbench_in(folder)
    assert nqbench("run", "campaign.toml", "--no-plots", "--results", "old").returncode == 0
    lines = nqbench("export", "--format", "jsonl", "--results", "old").stdout.splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture
def old(measured, tmp_path):
    return written(tmp_path / "old.jsonl", measured)


def written(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def without_answer(outcome, message=""):
    counts = ("conflicts", "decisions", "propagations", "restarts", "solve_s", "answer", "queens")
    unchecked = {"verdict": "unchecked", "checked_by": "none", "message": message}
    return dict.fromkeys(counts) | {"outcome": outcome} | unchecked


def changed(measured, **facts):
    """The records, with these facts for the runs of one solver on one board."""
    return [
        row | facts if (row["backend"], row["n"]) == ("glucose4", 7) else row for row in measured
    ]


def test_what_the_action_measures_passes_its_own_gate(job, old, tmp_path):
    (tmp_path / "my campaign.toml").write_text(CAMPAIGN)
    done = job(old=old, run="'my campaign.toml'\n--repeat 1")
    assert not done.failed, done.summary
    assert done.ran == ["Measure", "Compare", "Keep the comparison", "Comment", [*STEPS][-1]]
    assert done.outputs == {"folder": str(tmp_path / "nqbench"), "failed": "false"}
    kept = done.kept
    assert {"comparison.txt", "comparison.json", "records.csv", "benchmark.json"} < set(kept)
    assert json.loads(kept["comparison.json"])["gate"]["fail_on_change"]
    assert json.loads(kept["comparison.json"])["metric"] == "conflicts"
    assert json.loads(kept["benchmark.json"])[0]["unit"] == "conflicts"
    assert kept["records.csv"].count("\n") == 7
    assert "No size, hash, counter or answer changed in 6 common runs." in kept["comparison.txt"]
    assert done.has_posted()
    assert "pr comment 7 --repo owner/project" in (tmp_path / "gh-arguments").read_text()


MORE = {"conflicts": 1000}
SLOWER = {"solve_s": 50.0}
WRONG = {"verdict": "refuted", "message": "two queens attack"}
LOST = without_answer("timeout")
CRASH = without_answer("crashed", "killed by SIGSEGV")
UNAVAILABLE = without_answer("unavailable", "not installed")


@pytest.mark.parametrize(
    "case",
    [
        ({}, False, "No size, hash, counter or answer changed"),
        (SLOWER, False, "No size, hash, counter or answer changed"),
        (MORE, True, "Changes in sizes, hashes and counters"),
        (WRONG, True, r"wrong answer +pairwise +glucose4 +1 +queens n=7 +sat +refuted sat"),
        (LOST, True, r"lost answer +pairwise +glucose4 +1 +queens n=7 +sat +timeout"),
        (CRASH, True, r"crash +pairwise +glucose4 +1 +queens n=7 +measured +crashed"),
        (UNAVAILABLE, True, r"missing solver +pairwise +glucose4 +1 .* +unavailable"),
        (None, True, r"missing solver +pairwise +glucose4 +3 .* +no combination"),
    ],
)
def test_whatever_became_of_runs_a_table_is_posted(job, measured, old, tmp_path, case):
    facts, fails, shown = case
    if facts is None:
        rows = [row for row in measured if row["backend"] != "glucose4"]
    else:
        rows = changed(measured, **facts)
    done = job(old=old, new=written(tmp_path / "new.jsonl", rows))
    assert done.failed == fails, done.summary
    assert done.outputs["failed"] == str(fails).lower()
    assert re.search(shown, done.kept["comparison.txt"]), done.summary
    assert "Ratios of conflicts" in done.kept["comparison.txt"]
    assert json.loads(done.kept["comparison.json"])["gate"]["failed"] == fails
    assert done.has_posted()
    assert done.ran[-1] == [*STEPS][-1]


def test_slower_runs_fail_a_gate_on_times(job, measured, tmp_path):
    """Two solvers on eight boards, of which one becomes four times as slow."""
    rows = [
        row | {"run_id": f"{i:031}{n:x}"[-32:], "n": n, "solve_s": 1.0 + n % 3}
        for i, row in enumerate(measured)
        if row["n"] == 8
        for n in range(8, 16)
    ]
    slow = [
        row | {"solve_s": row["solve_s"] * (4 if row["backend"] == "glucose4" else 1)}
        for row in rows
    ]
    before, after = (
        written(tmp_path / f"{name}.jsonl", some) for name, some in (("before", rows), ("s", slow))
    )
    done = job(old=before, new=after, metric="solve_s", fail_above="50%")
    assert done.failed
    assert re.search(r"pairwise +glucose4 .* slower", done.kept["comparison.txt"]), done.summary
    assert done.has_posted()


def test_what_is_slower_in_one_session_is_measured_again(job, nqbench_in, tmp_path):
    """The baseline has a tenth of the times of one solver on all boards, which both sessions find,
    and a second one has thousand times those: then nothing is slower, and nothing runs again.
    """
    grid = "--n 4..12 --encoding pairwise --backend minisat22,glucose4,cadical195 --repeat 1"
    nqbench = nqbench_in(tmp_path)
    nqbench("run", *grid.split(), "--no-plots", "--results", "first")
    lines = nqbench("export", "--format", "jsonl", "--results", "first").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    for name, factor in (("fast", 1e-6), ("slow", 1e3)):
        of_one = [
            row | {"solve_s": row["solve_s"] * (factor if row["backend"] == "glucose4" else 1)}
            for row in rows
        ]
        old = written(tmp_path / f"{name}.jsonl", of_one)
        new = str(tmp_path / f"new-{name}")
        gate = {"metric": "solve_s", "fail_above": "50%", "fail_on_change": "false"}
        done = job(old=old, new=new, run=grid, **gate)
        assert done.failed is (name == "fast"), done.summary
        assert (tmp_path / f"new-{name}-again").exists() is (name == "fast")
        assert not json.loads(done.kept["comparison.json"])["gate"]["asks_again"]


@pytest.mark.parametrize(
    ("baseline", "said"),
    [
        (None, "fatal: not a git repository"),
        ("", "old.csv"),
        ("run_id,encoding\n", "old.csv"),
        ("name,seconds\na,1\n", "old.csv"),
    ],
)
def test_without_a_baseline_what_was_measured_is_posted(job, measured, tmp_path, baseline, said):
    """None, an empty one, and others with another schema."""
    if baseline is not None:
        (tmp_path / "old.csv").write_text(baseline)
    old = "HEAD:old.csv" if baseline is None else "old.csv"
    done = job(old=old, new=written(tmp_path / "new.jsonl", measured))
    assert done.failed
    text = done.kept["comparison.txt"]
    assert said in text.splitlines()[0]
    assert "commit records.csv of the artifact" in text
    assert re.search(r"minisat22 +3/3", text), text
    assert "records.csv" in done.kept
    assert done.has_posted()


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("nothing.toml", "nothing.toml"),
        ("--n 'four", "unmatched single quote"),
        ("--n 4 --encoding pairwise --backend minisat22,exe:nosuch --repeat 1", "exe:nosuch could"),
    ],
)
def test_a_campaign_that_does_not_run_is_posted_as_well(job, old, run, said):
    done = job(old=old, run=run)
    assert done.failed
    assert done.ran[-1] == [*STEPS][-1]
    assert said in done.kept["comparison.txt"]
    assert "nqbench run ended with status" in done.kept["comparison.txt"]
    assert done.has_posted()


@pytest.mark.parametrize(
    "case",
    [
        ({"fail_on_change": "false"}, False, "conflicts"),
        ({"where": "n > 99", "fail_above": "5%"}, True, "no record"),
        ({"fail_on_change": "True"}, True, "fail-on-change is 'True': write true or false"),
        ({"comment": "no"}, True, "comment is 'no': write true or false"),
    ],
)
def test_inputs_decide_what_fails(job, measured, old, tmp_path, case):
    inputs, fails, said = case
    new = written(tmp_path / "new.jsonl", changed(measured, conflicts=1000))
    done = job(old=old, new=new, **inputs)
    assert done.failed == fails
    assert said in done.kept["comparison.txt"]
    assert said in done.summary


def test_a_comment_that_cannot_be_written_fails_nothing(job, old):
    assert not job(old=old, new=old, status=1).failed


def test_no_comment_is_written_unless_it_is_asked_for(job, old, tmp_path):
    done = job(old=old, new=old, comment="false")
    assert "Comment" not in done.ran
    assert not done.failed
    assert not (tmp_path / "comment.md").exists()


@pytest.mark.parametrize(
    ("inputs", "asked"),
    [
        ({}, "/the/action"),
        ({"extras": "kissat,cp-sat"}, "/the/action[kissat,cp-sat]"),
        ({"version": "0.3.0"}, "nqbench==0.3.0"),
        ({"version": "0.3.0", "extras": "kissat"}, "nqbench[kissat]==0.3.0"),
    ],
)
def test_it_installs_itself_or_a_release(tmp_path, inputs, asked):
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    done = Job(tmp_path, **inputs).step(STEPS["Install nqbench"], python)
    assert done.stdout.split() == ["-m", "pip", "install", "--quiet", asked]
