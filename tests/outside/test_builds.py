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
import pytest
from addons import needs_addon
from installing import is_told
from places import ROOT

from nqbench.backends.base import Backend
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.common.machine import builds, environment, installation
from nqbench.common.machine.builds import JUDGED
from nqbench.common.machine.environment import Environment
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens
from nqbench.records import facts
from nqbench.records.record import Record
from nqbench.records.store import Store

PACKAGE = ROOT / "nqbench"
FAST, OTHER = "GCC 12.2.0, 0123456789ab", "GCC 13.2.0, ba9876543210"

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


def test_pyeda_is_compiled_with_o3():
    """In the environments of tox and of the README, on every system on which the tests run. GCC
    notes its flags beside the names for debuggers, and the last level counts.
    """
    (library,) = Backend.named("pyeda").binaries
    if shutil.which("readelf") is None:
        pytest.skip("no readelf: apt install binutils")
    command = ["readelf", "--debug-dump=info", library]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    flags = re.findall(r"DW_AT_producer.*: (GNU C.*)", said)
    if not flags:
        pytest.skip("PyEDA was compiled without -g")
    assert {re.findall(r" -O\w*", each)[-1] for each in flags} == {" -O3"}


def test_nqbench_has_compiled_modules_here():
    names = [build.file.partition(".")[0] for build in installation.builds()]
    assert names == ["_direct", "_core", "_elaborate"]


def test_another_build_is_another_run_and_none_is_the_run_of_earlier_stores():
    run = planned()
    assert run.backend_build == builds.described(Backend.named("pyeda").builds)
    assert len({run.id, planned(backend_build=FAST).id, planned(backend_build=None).id}) == 3


def test_an_environment_without_builds_has_its_earlier_id():
    assert msgspec.convert(EARLIER, Environment).id == EARLIER_ID
    here = environment.current()
    assert environment.current(builds={"a": []}).id != here.id


def test_an_environment_of_an_earlier_version_keeps_its_id_and_what_it_judged():
    """Its id, as 0.3.0 computed it, covers whether each file was optimised."""
    stated = {
        name: [{
            "file": f"{name}.so", "file_digest": "0" * 12, "code_digest": "1" * 12,
            "compiler": "GCC 14.2.1", "is_optimised": judged,
        }]
        for name, judged in (("a", True), ("b", False), ("c", None))
    }  # fmt: skip
    versions = {"nqbench": "0.3.0", "packages": {"nqbench": "0.3.0", "numpy": "2.4.6"}}
    earlier = msgspec.convert(EARLIER | versions | {"builds": stated}, Environment)
    assert earlier.id == "cb4b6b3820682ea9"
    assert facts.environment(*facts.of_environment(earlier)) == earlier
    assert msgspec.to_builtins(earlier)["builds"] == stated


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


@needs_addon("compare")
def test_two_builds_of_one_version_are_told_apart(nqbench, tmp_path):
    old, new = stored(tmp_path / "old", FAST), stored(tmp_path / "new", OTHER)
    compared = nqbench("compare", old, new)
    assert f"- build of pyeda ({FAST} in OLD, {OTHER} in NEW)\n" in compared.stdout
    assert "build" not in nqbench("compare", old, old).stdout
    merged = nqbench("merge", "--results", "all", old / "nqbench.db", new / "nqbench.db")
    assert f"one version of pyeda is there in 2 builds: {FAST}; {OTHER}" in merged.stderr
    summary = nqbench("summary", "--results", "all")
    assert f"2 builds of pyeda are mixed: {FAST} (27 runs); {OTHER} (27 runs)" in summary.stderr
    one = nqbench("summary", "--results", "all", "--where", f"backend_build = '{FAST}'")
    assert one.stderr == ""
    report = nqbench("report", "--results", "all")
    assert report.returncode == 0
    assert f"Builds of pyeda are mixed: {FAST}; {OTHER}." in (
        tmp_path / "all" / "report.html"
    ).read_text().replace("&#39;", "'")


@needs_addon("compare")
def test_records_keep_what_earlier_versions_said_of_optimisation(nqbench, tmp_path):
    """It made no other build of it."""
    judged = FAST.replace(",", f"{JUDGED},")
    old, new = stored(tmp_path / "old", judged), stored(tmp_path / "new", FAST)
    lines = nqbench("export", "--format", "jsonl", "--results", old).stdout.splitlines()
    assert {json.loads(line)["backend_build"] for line in lines} == {judged}
    merged = nqbench("merge", "--results", "all", old / "nqbench.db", new / "nqbench.db")
    assert (merged.returncode, "builds" in merged.stderr) == (0, False)
    assert "builds" not in nqbench("summary", "--results", "all").stderr
    assert "build" not in nqbench("compare", old, new).stdout
    assert builds.are_same(judged, FAST)
    assert not builds.are_same(judged, OTHER)
    assert not builds.are_same(judged, None)


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
