"""Two commits of a solver are compared: measured in turns in one folder, or each in its own."""

import json

import polars as pl
import pytest
from action_job import Job, quick_nqbench
from addons import is_here, needs_addon
from solver_history import RECIPE, History

import nqbench as library
from nqbench.addons.revisions.spec import Spec, without_revision
from nqbench.plugins.name_rules import unversioned

if is_here("compare"):
    from nqbench.addons.compare.sessions import Sessions, were_in_turns


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Builds that the tests share: each has the same commits."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def here(cache, tmp_path, monkeypatch):
    """A folder with a solver of three commits; the last one has more conflicts."""
    history = History(tmp_path / "solver", commits=3, planted={"conflicts": 3})
    (tmp_path / "nqbench-build.toml").write_text(RECIPE)
    monkeypatch.setenv("NQBENCH_BUILDS", str(cache))
    monkeypatch.chdir(tmp_path)
    return history


def measured(*revisions, **settings):
    return library.run(
        "4..8",
        encodings="pairwise",
        backends=[f"git:solver@{revision}" for revision in revisions],
        **{"repeat": 2, **settings},
    )


@needs_addon("compare")
def test_revisions_take_turns_and_each_is_first_as_often(here):
    records = measured("HEAD~2", "HEAD~1", seed=1).sort("started_at")
    assert len(records) == 20
    rows = records.select("n", "repeat", "backend").rows()
    pairs = [(rows[at], rows[at + 1]) for at in range(0, 20, 2)]
    assert all(one[:2] == other[:2] and one[2] != other[2] for one, other in pairs)
    first = [one[2] for one, _ in pairs]
    assert first.count(first[0]) == 5
    old, new = (records.filter(backend=name).with_columns(backend=pl.lit("b")) for name in {*first})
    assert were_in_turns(old, new)


@needs_addon("compare")
def test_two_revisions_of_a_folder_are_compared_as_they_are_typed(here, nqbench):
    measured("HEAD~2", "HEAD~1", "HEAD", results="both")
    asked = ("compare", "both", "--old", "git:./solver@HEAD~2", "--metric", "conflicts")
    equal = nqbench(*asked, "--new", "git:solver/@HEAD~1", "--fail-on-change")
    assert (equal.returncode, "No size, hash, counter or answer changed" in equal.stdout) == (
        0,
        True,
    )
    more = nqbench(
        *asked, "--new", f"git:solver@{here.digits[3][:12]}", "--fail-on-change", "--json"
    )
    assert more.returncode == 1
    found = json.loads(more.stdout)
    assert {change["backend"] for change in found["changes"]} == {"git:solver"}
    assert not found["missing"]
    many = nqbench(*asked, "--new", "git:solver@{HEAD~1,HEAD}")
    assert (many.returncode, "are 2 backends: name one" in many.stderr) == (2, True)


@needs_addon("compare")
def test_two_folders_with_a_revision_each_are_compared(here, nqbench):
    """And a third, that has two: then a note says to choose."""
    for number, revisions in enumerate((["HEAD~2"], ["HEAD~1"], ["HEAD~1", "HEAD"])):
        measured(*revisions, results=f"r{number}")
    found = library.Results("r0").compare("r1", "conflicts")
    assert found.missing.is_empty()
    assert found.changes.is_empty()
    assert set(found.old["backend"]) == {"git:solver"}
    assert library.Results("r0").compare("r1").times.sessions is Sessions.ONE_EACH
    several = nqbench("compare", "r0", "r2")
    assert "several revisions of git:solver" in several.stderr
    chosen = nqbench(
        "compare", "r0", "r2", "--old", "git:solver@HEAD~2", "--new", "git:solver@HEAD"
    )
    assert "Changes in sizes, hashes and counters" in chosen.stdout
    same = library.Results("r1").compare("r2", "conflicts")
    assert set(same.old["backend"]) == {f"git:solver@{here.digits[2][:12]}"}


@needs_addon("compare")
def test_what_is_not_committed_is_measured_as_worktree_and_said_otherwise(here, nqbench):
    header = here.path / "constants.h"
    committed = header.read_text()
    header.write_text(committed.replace("AGAIN 5", "AGAIN 0"))
    command = ["run", "--n", 6, "--encoding", "pairwise", "--repeat", 1, "--no-plots"]
    done = nqbench(*command, "--backend", "git:solver@HEAD", "--results", "r")
    assert "git:solver has uncommitted changes, which are not measured" in done.stderr
    done = nqbench(*command, "--backend", "git:solver@{HEAD,WORKTREE}", "--results", "r")
    assert "uncommitted changes, which" not in done.stderr
    records = library.read("r").sort("started_at")
    by_name = dict(records.select("backend", "conflicts").rows())
    (name,) = (name for name in by_name if "WORKTREE" in name)
    (version,) = set(records.filter(backend=name)["backend_version"])
    last = here.digits[3][:12]
    assert f", commit 4 after {last} 'uncommitted changes to {last}', " in version
    assert Spec.read(name).revisions.startswith("WORKTREE-")
    assert by_name[name] < by_name[f"git:solver@{here.digits[3][:12]}"]
    # Its own name is known again, and other files are another version.
    again = nqbench(*command, "--backend", name, "--results", "r")
    assert (again.returncode, len(library.read("r"))) == (0, 2)
    header.write_text(committed.replace("AGAIN 5", "AGAIN 1"))
    assert nqbench(*command, "--backend", "git:solver@WORKTREE", "--results", "r").returncode == 0
    assert library.read("r")["backend"].n_unique() == 3
    header.write_text(committed)
    done = nqbench(*command, "--backend", "git:solver@HEAD", "--results", "s")
    assert "uncommitted" not in done.stderr


def test_names_without_their_revision():
    assert unversioned("git:./a/@main --sat") == "git:a --sat"
    assert without_revision("git:a") == "git:a"
    assert unversioned("minisat22") == "minisat22"
    assert unversioned("exe:./a@b") == "exe:./a@b"


@needs_addon("compare")
@pytest.mark.parametrize(("new", "trips"), [({}, True), ({"new": "git:.@HEAD~1"}, False)])
def test_the_action_measures_two_revisions_and_compares_them(
    here, tmp_path, nqbench_in, new, trips
):
    """The solver is the repository of the workflow, and HEAD the new revision if none is stated."""
    (here.path / "nqbench-build.toml").write_text(RECIPE)
    (tmp_path / "bin").mkdir()
    run = "--n 4..6 --encoding pairwise --repeat 1"
    with quick_nqbench(nqbench_in, tmp_path / "bin") as path:
        job = Job(here.path, path, old="git:.@HEAD~2", run=run, **new).run()
    assert job.failed is trips, job.summary
    document = json.loads(job.kept["comparison.json"])
    assert document["common_runs"] == 3
    assert {change["backend"] for change in document["changes"]} == (
        {"git:solver"} if trips else set()
    )
    assert "Ratios of conflicts" in job.kept["comparison.txt"]
