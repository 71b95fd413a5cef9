"""The machine code of a solver is part of its runs, and other builds of one version are named."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import metadata

import msgspec
import polars as pl
import pytest
from installing import is_told
from places import ROOT

from nqbench.backends.base import Backend
from nqbench.backends.names import complete_backend_names
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.machine import builds, environment, installation
from nqbench.machine.builds import UNOPTIMISED
from nqbench.machine.environment import Environment
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.records.store import Store
from nqbench.show.report.caveats import caveats
from nqbench.summary.findings import findings

PACKAGE = ROOT / "nqbench"
FAST, SLOW = "GCC 12.2.0, 0123456789ab", f"GCC 12.2.0 {UNOPTIMISED}, ba9876543210"

EARLIER = {
    "cpu_model": "AMD EPYC",
    "cpu_count": 2,
    "memory_bytes": 25276502016,
    "kernel": "Linux 6.1",
    "python": "CPython 3.11.7",
    "nqbench": "0.1.0",
    "packages": {"nqbench": "0.1.0", "numpy": "2.4.6"},
    "git_commit": None,
    "git_dirty": None,
}
EARLIER_ID = "e6a01ee2385af6e4"
"""As nqbench computed it before it knew of builds."""


def planned(**build):
    (run,) = Campaign(
        problems=[Queens(6)], encodings=["pairwise"], backends=["pyeda"], repeat=1
    ).runs()
    return replace(run, **build)


def stored(folder, build):
    """A store of nine boards, solved by this build of PicoSAT."""
    runs = Campaign(
        problems=[Queens(n) for n in range(4, 13)], encodings=["pairwise"], backends=["pyeda"]
    ).runs()
    with Store(folder / "nqbench.db") as store:
        for run in runs:
            built = replace(run, backend_build=build)
            store.add(
                replace(
                    Record.of(built, "0" * 16),
                    outcome=Outcome.FINISHED,
                    answer=Answer.SAT,
                    verdict=Verdict.VERIFIED,
                    checked_by=CheckedBy.BOARD,
                    encode_s=0.1,
                    load_s=0.1,
                    solve_s=0.1 * run.problem.n,
                )
            )
    return folder


def test_no_solver_here_was_compiled_without_optimisation():
    """The environments of tox and of the README, on every system on which the tests run. The wheels
    of PySAT contain an unoptimised Lingeling.
    """
    of = {"nqbench": installation.builds()}
    for name in complete_backend_names():
        if not why_unavailable(Backend.named, name):
            of[name] = Backend.named(name).builds
    unoptimised = {name for name, found in of.items() for b in found if b.is_optimised is False}
    assert unoptimised <= {"lingeling"}
    optimised = {name for name, found in of.items() if found and found[-1].is_optimised}
    assert {"nqbench", "pyeda", "minisat22", "glucose4", "cadical195", "kissat404"} <= optimised
    names = [build.file.partition(".")[0] for build in of["nqbench"]]
    assert names == ["_direct", "_core", "_elaborate"]  # the loader is too small to be judged


def test_another_build_is_another_run_and_none_is_the_run_of_earlier_stores():
    run = planned()
    assert run.backend_build == builds.described(Backend.named("pyeda").builds)
    assert len({run.id, planned(backend_build=FAST).id, planned(backend_build=None).id}) == 3


def test_an_environment_without_builds_has_its_earlier_id():
    assert msgspec.convert(EARLIER, Environment).id == EARLIER_ID
    here = environment.current()
    assert environment.current(builds={"a": []}).id != here.id


def test_a_record_says_which_machine_code_ran():
    (record,) = measured([planned()])
    assert record.outcome is Outcome.FINISHED
    assert record.backend_build == builds.described(Backend.named("pyeda").builds)


def test_a_run_that_was_planned_for_another_build_is_not_measured():
    (record,) = measured([planned(backend_build=FAST)])
    assert record.outcome is Outcome.UNAVAILABLE
    assert f"but {FAST} when it was planned" in record.message


def test_conditions_have_the_file_its_digests_and_its_compiler(nqbench, tmp_path):
    asked = ("--n", 4, "--encoding", "pairwise", "--backend", "pyeda", "--repeat", 1, "--no-plots")
    assert nqbench("run", *asked).returncode == 0
    (here,) = json.loads(nqbench("export", "--format", "conditions").stdout)["environments"]
    (build,) = here["builds"]["pyeda"]
    assert build["file"].startswith("picosat.")
    assert re.fullmatch("[0-9a-f]{12}", build["code_digest"])
    assert build["compiler"]
    (line,) = nqbench("export", "--format", "jsonl").stdout.splitlines()
    assert json.loads(line)["backend_build"].endswith(build["code_digest"])


def test_two_builds_of_one_version_are_told_apart(nqbench, tmp_path):
    old, new = stored(tmp_path / "old", FAST), stored(tmp_path / "new", SLOW)
    compared = nqbench("compare", old, new)
    assert f"- build of pyeda ({FAST} in OLD, {SLOW} in NEW)\n" in compared.stdout
    assert "build" not in nqbench("compare", old, old).stdout
    merged = nqbench("merge", "--results", "all", old / "nqbench.db", new / "nqbench.db")
    assert f"one version of pyeda is there in 2 builds: {FAST}; {SLOW}" in merged.stderr
    summary = nqbench("summary", "--results", "all")
    assert f"2 builds of pyeda are mixed: {FAST} (27 runs); {SLOW} (27 runs)" in summary.stderr
    one = nqbench("summary", "--results", "all", "--where", f"backend_build = '{FAST}'")
    assert one.stderr == ""
    report = nqbench("report", "--results", "all")
    assert report.returncode == 0
    assert f"Builds of pyeda are mixed: {FAST}; {SLOW}." in (
        tmp_path / "all" / "report.html"
    ).read_text().replace("&#39;", "'")


def test_unoptimised_code_is_in_the_findings_and_once_on_the_page(tmp_path, nqbench):
    slow = stored(tmp_path / "slow", SLOW)
    with Store(slow / "nqbench.db", read_only=True) as store:
        records = store.frame()
    (line,) = [sentence for sentence in findings(records) if UNOPTIMISED in sentence]
    assert line.startswith("To keep in mind: ")
    assert f"pyeda ({SLOW})" in line
    assert [UNOPTIMISED in each for each in caveats(records, (), ())].count(True) == 1
    assert nqbench("report", "--results", slow).returncode == 0
    assert (slow / "report.html").read_text().count(f"pyeda ({SLOW})") == 1
    fast = records.with_columns(backend_build=pl.lit(FAST))
    assert not any("To keep in mind" in sentence for sentence in findings(fast))


@pytest.fixture
def shadowed(tmp_path):
    """A folder with the source, and an environment in which a compiled nqbench is installed."""
    clone, site = tmp_path / "clone", tmp_path / "site"
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(PACKAGE, clone / "nqbench", ignore=ignored)
    shutil.copytree(PACKAGE, site / "nqbench", ignore=shutil.ignore_patterns("__pycache__"))
    compiled = [path.relative_to(site) for path in site.rglob("*.so")]
    assert len(compiled) == len(installation.COMPILED)
    facts = site / "nqbench-0.2.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: nqbench\nVersion: 0.2.0\n")
    (facts / "entry_points.txt").write_text(
        metadata.distribution("nqbench").read_text("entry_points.txt")
    )
    (facts / "RECORD").write_text("".join(f"{path},,\n" for path in compiled))
    return clone, os.environ | {"PYTHONPATH": str(site)}


def test_a_source_tree_that_shadows_the_installed_package_is_named(shadowed, tmp_path):
    clone, variables = shadowed
    words = ["run", "--n", "4", "--encoding", "pairwise", "--backend", "minisat22", "--no-plots"]
    command = [sys.executable, "-m", "nqbench", *words, "--results", tmp_path / "results"]

    def told(folder, command):
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr

    said = told(clone, command)
    (line,) = [line for line in said.splitlines() if "which is not compiled" in line]
    assert f"the source in {clone / 'nqbench'}" in line
    assert is_told(line, f"-e {clone}")
    assert "which is not compiled" in told(clone, [sys.executable, "-m", "nqbench", "doctor"])
    assert "which is not compiled" not in told(tmp_path, command)
