"""Counters of programs are those that they print."""

import json
from dataclasses import astuple

import pytest
from addons import needs_addon
from places import DATA
from programs import needs

from nqbench.backends.base import Backend
from nqbench.backends.program import statistics
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Outcome, Task
from nqbench.plugins.known_programs import PROGRAMS
from nqbench.problems.queens import Queens

OUTPUTS = DATA / "program-output"
PRINTED = {
    "cadical-unsat": (6383, 7803, 88254, 357),
    "kissat-unsat": (2872, 3744, 62067, 95),
    "minisat-unsat": (10495, 13010, 121703, 46),
    "glucose-unsat": (6716, 7977, 54872, 14),
    "clasp-unsat": (3247, 3385, None, 0),
    "cryptominisat5-unsat": (3106, 3745, None, 15),
    "picosat-unsat": (3073, 3649, 48966, 10),
    # Lines of counters that are zero are left out here.
    "cadical-sat": (0, 0, 0, 0),
    "kissat-sat": (9, 22, 1957, 0),
    "minisat-sat": (27, 52, 406, 1),
    "minisat-simplified": (0, 0, 2, 0),
    "glucose-sat": (21, 39, 291, 1),
    "clasp-sat": (8, 44, None, 0),
    "cryptominisat5-sat": (22, 48, None, 1),
    "picosat-sat": (16, 30, 1889, 0),
}
"""Conflicts, decisions, propagations and restarts, read by eye."""


@pytest.mark.parametrize("name", PRINTED)
def test_counters_of_real_outputs_are_read(name):
    text = (OUTPUTS / f"{name}.txt").read_text()
    counters = statistics.read(name.partition("-")[0], text)
    assert astuple(counters)[:4] == PRINTED[name]


def test_every_program_that_counts_has_an_example():
    assert {name.partition("-")[0] for name in PRINTED} == PROGRAMS.keys()
    assert {path.stem for path in OUTPUTS.iterdir()} == set(PRINTED)


@pytest.mark.parametrize("program", sorted(PROGRAMS))
@pytest.mark.parametrize(
    "text", ["", "s SATISFIABLE\nv 1 0\n", "c conflicts: many\n", f"c conflicts: {'9' * 5000}\n"]
)
def test_what_is_not_printed_is_not_known(program, text):
    assert statistics.read(program, text) == Counters()


def test_a_program_is_known_by_the_name_of_its_file():
    text = (OUTPUTS / "minisat-unsat.txt").read_text()
    assert statistics.read("/opt/bin/minisat", text).conflicts == 10495
    assert statistics.read("/opt/bin/other", text) == Counters()


LIVE = [pytest.param(name, marks=needs(name)) for name in sorted(PROGRAMS)]


@pytest.mark.parametrize("name", LIVE)
def test_an_installed_program_counts_the_same_every_time(name):
    assert Backend.named(name).capabilities.counters
    campaign = Campaign(problems=[Queens(16)], encodings=["pairwise"], backends=[name], repeat=2)
    first, second = runner.measured(campaign.runs())
    assert first.outcome is second.outcome is Outcome.FINISHED, first.message
    for counter in ("conflicts", "decisions", "propagations", "restarts"):
        assert getattr(first, counter) == getattr(second, counter)
    assert None not in (first.conflicts, first.decisions, first.restarts)
    assert first.decisions > 0 or name == "cadical"  # which may be lucky


@needs("minisat")
def test_counters_are_those_of_all_calls():
    """A program starts anew for each solution, so the counters of its processes are added."""
    backend = Backend.named("minisat")
    campaign = Campaign(
        problems=[Queens(5)], encodings=["pairwise"], backends=[backend.name], repeat=1
    )
    (one,) = runner.measured(campaign.runs())
    campaign = Campaign(
        problems=[Queens(5)],
        encodings=["pairwise"],
        backends=[backend.name],
        repeat=1,
        task=Task.ALL,
    )
    (every,) = runner.measured(campaign.runs())
    assert every.solutions == 10
    assert every.decisions > 5 * one.decisions


@needs_addon("compare")
@needs("minisat")
def test_the_gate_for_changes_works_for_programs(nqbench, tmp_path):
    campaign = ("--n", "8..10", "--encoding", "pairwise", "--backend", "minisat", "--repeat", 1)
    for folder in ("old", "new"):
        nqbench("run", *campaign, "--no-plots", "--results", folder)
    assert nqbench("compare", "old", "new", "--fail-on-change").returncode == 0
    lines = nqbench("export", "--format", "jsonl", "--results", "new").stdout.splitlines()
    changed = [json.loads(line) for line in lines]
    changed[0]["conflicts"] += 1
    (tmp_path / "changed.jsonl").write_text("\n".join(map(json.dumps, changed)))
    tripped = nqbench("compare", "old", "changed.jsonl", "--fail-on-change")
    assert tripped.returncode == 1
    assert "conflicts" in tripped.stdout
