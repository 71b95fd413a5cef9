"""Every backend that can stops at its limit of work."""

import subprocess
import sys

import pytest
from addons import is_here, needs_addon
from bounded_work import HARD, LIMIT, bounded_runs, limited_by

import nqbench
from nqbench.backends.pysat.solvers import KINDS

if is_here("compare"):
    from nqbench.addons.compare import changes as compare

OVERSHOOT = 1000
"""Glucose stops at the restart after its limit."""


@pytest.fixture(scope="module")
def bounded():
    return bounded_runs()


def test_every_backend_that_says_so_stops_at_its_conflicts(bounded):
    assert set(bounded["backend"]) >= KINDS.keys() - {"kissat404", "lingeling"}
    assert set(bounded["outcome"]) == {"work-limit"}
    assert set(bounded["answer"]) == {"unknown"}
    counted = bounded.drop_nulls("conflicts")
    assert counted["backend"].n_unique() >= len(KINDS) - 2
    assert counted["conflicts"].is_between(LIMIT, LIMIT + OVERSHOOT).all()


def test_every_backend_that_says_so_stops_at_its_propagations():
    records = nqbench.run(
        HARD,
        encodings="pairwise",
        backends=limited_by("propagations"),
        repeat=1,
        propagation_limit=20 * LIMIT,
        pin=False,
    )
    assert {"minisat22", "glucose4", "pyeda", "pycosat"} <= set(records["backend"])
    assert set(records["outcome"]) == {"work-limit"}


@needs_addon("compare")
def test_load_of_the_machine_changes_no_count(tmp_path, nqbench_in):
    """The campaign of the documentation, idle and beside busy processes."""
    call = nqbench_in(tmp_path)
    campaign = [
        "run", "--n", "64", "--conflict-limit", "1000", "--encoding", "product",
        "--backend", "minisat22,glucose4,cadical195,cadical300", "--repeat", "1",
        "--no-plots", "-q",
    ]  # fmt: skip
    assert call(*campaign, "--results", "idle").returncode == 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        assert call(*campaign, "--results", "busy").returncode == 0
    finally:
        for process in busy:
            process.kill()
            process.wait()
    compared = call("compare", "idle", "busy", "--fail-on-change")
    assert compared.returncode == 0, compared.stdout
    assert "No size, hash, counter or answer changed" in compared.stdout
    assert "work-limit" in call("summary", "--results", "busy").stdout


@pytest.mark.parametrize("limit", [1000, 1e3, "1_000"])
def test_a_limit_is_the_same_in_python_on_the_command_line_and_in_a_file(nqbench, tmp_path, limit):
    """The same run: what one of them recorded, the others do not measure again."""
    import nqbench as package

    asked = {"encodings": "pairwise", "backends": "minisat22", "repeat": 1}
    package.run(4, conflict_limit=limit, results=tmp_path / "results", **asked)
    line = ("--n", 4, "--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1)
    done = nqbench("run", *line, "--conflict-limit", limit, "--no-plots")
    assert "the run is recorded already" in done.stderr
    stated = f"'{limit}'" if isinstance(limit, str) else limit
    (tmp_path / "c.toml").write_text(
        f"conflict-limit = {stated}\nrepeat = 1\n[[campaign]]\nn = '4'\n"
        "encoding = ['pairwise']\nbackend = ['minisat22']\n"
    )
    assert "the run is recorded already" in nqbench("run", "c.toml", "--no-plots").stderr
    (tmp_path / "c.toml").write_text("conflict-limit = 1.5\n[[campaign]]\nn = '4'\n")
    refused = nqbench("run", "c.toml")
    assert refused.returncode == 2
    assert "line 1: '1.5' is not a whole number" in refused.stderr


@needs_addon("compare")
def test_unsolved_runs_repeat_exactly(bounded):
    first, second = (bounded.filter(repeat=r).with_columns(repeat=0) for r in (0, 1))
    assert compare.changes(first, second).is_empty()


def test_a_limit_counts_over_all_calls_of_the_solver():
    """Finding all solutions takes many calls, each with fewer conflicts than the limit."""
    asked = {"encodings": "pairwise", "backends": "minisat22,cadical195,glucose4", "task": "all"}
    free = nqbench.run(8, repeat=1, **asked)
    limit = int(free["conflicts"].min()) // 2
    bounded = nqbench.run(8, repeat=1, conflict_limit=limit, **asked)
    assert set(bounded["outcome"]) == {"work-limit"}
    assert (bounded["solutions"] > 1).all()
    assert (bounded["solutions"] < 92).all()


@needs_addon("compare")
def test_a_solver_that_ends_below_its_limit_answers_as_without():
    asked = {"encodings": "pairwise,product", "backends": "minisat22,cadical195", "repeat": 1}
    free = nqbench.run(range(8, 17, 4), **asked)
    bounded = nqbench.run(range(8, 17, 4), conflict_limit=10**6, **asked)
    assert set(bounded["outcome"]) == {"finished"}
    assert compare.changes(free, bounded).is_empty()
