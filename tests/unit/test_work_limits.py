"""A limit of work stops a solver at the same point whenever it is reached."""

import subprocess
import sys

import polars as pl
import pytest

import nqbench
from nqbench.backends.program import find
from nqbench.backends.program_options import FLAGS
from nqbench.backends.pysat_solvers import KINDS
from nqbench.errors import InputError
from nqbench.limits import parse_count
from nqbench.plugins import complete_backend_names, load_backend
from nqbench.problems.pigeonhole import Pigeonhole
from nqbench.summary import compare, observed, overview

LIMIT = 500
OVERSHOOT = 1000
"""Glucose stops at the restart after its limit."""

HARD = Pigeonhole(10)
"""Every solver needs more than `LIMIT` conflicts, and LIMIT x 20 propagations."""


def limited_by(counter):
    return [
        name
        for name in complete_backend_names()
        if load_backend(name).why_not_limited(counter) is None
        and (name not in FLAGS or find(name) is not None)
        and load_backend(name).default_encoding is None
    ]


@pytest.fixture(scope="module")
def bounded():
    return nqbench.run(
        HARD,
        encodings="pairwise",
        backends=limited_by("conflicts"),
        repeat=2,
        conflict_limit=LIMIT,
        jobs=2,
        pin=False,
    )


def test_every_backend_that_says_so_stops_at_its_conflicts(bounded):
    assert set(bounded["backend"]) >= KINDS.keys() - {"kissat404", "lingeling"}
    assert set(bounded["outcome"]) == {"work-limit"}
    assert set(bounded["answer"]) == {"unknown"}
    counted = bounded.drop_nulls("conflicts")
    assert counted["backend"].n_unique() >= len(KINDS) - 2
    assert counted["conflicts"].is_between(LIMIT, LIMIT + OVERSHOOT).all()


def test_unsolved_runs_repeat_exactly(bounded):
    first, second = (bounded.filter(repeat=r).with_columns(repeat=0) for r in (0, 1))
    assert compare.changes(first, second).is_empty()


def test_every_backend_that_says_so_stops_at_its_propagations():
    records = nqbench.run(
        HARD,
        encodings="pairwise",
        backends=limited_by("propagations"),
        repeat=1,
        propagation_limit=20 * LIMIT,
        jobs=2,
        pin=False,
    )
    assert {"minisat22", "glucose4", "pyeda", "pycosat"} <= set(records["backend"])
    assert set(records["outcome"]) == {"work-limit"}


@pytest.mark.parametrize("name", complete_backend_names())
def test_a_backend_that_cannot_be_limited_is_refused_with_the_reason(name):
    backend = load_backend(name)
    for counter in ("conflicts", "propagations"):
        reason = backend.why_not_limited(counter)
        assert (reason is None) == (counter in backend.capabilities.work_limits)
    if reason := backend.why_not_limited("conflicts"):
        with pytest.raises(InputError) as refused:
            nqbench.run(8, backends=[name], conflict_limit=10)
        assert str(refused.value) == reason


def test_a_limit_counts_over_all_calls_of_the_solver():
    """Finding all solutions takes many calls, each with fewer conflicts than the limit."""
    asked = {"encodings": "pairwise", "backends": "minisat22,cadical195,glucose4", "task": "all"}
    free = nqbench.run(8, repeat=1, **asked)
    limit = int(free["conflicts"].min()) // 2
    bounded = nqbench.run(8, repeat=1, conflict_limit=limit, **asked)
    assert set(bounded["outcome"]) == {"work-limit"}
    assert (bounded["solutions"] > 1).all()
    assert (bounded["solutions"] < 92).all()


def test_a_solver_that_ends_below_its_limit_answers_as_without():
    asked = {"encodings": "pairwise,product", "backends": "minisat22,cadical195", "repeat": 1}
    free = nqbench.run(range(8, 17, 4), **asked)
    bounded = nqbench.run(range(8, 17, 4), conflict_limit=10**6, **asked)
    assert set(bounded["outcome"]) == {"finished"}
    assert compare.changes(free, bounded).is_empty()


def test_load_of_the_machine_changes_no_count(tmp_path, nqbench_in):
    """The campaign of the documentation, idle and beside four busy processes."""
    call = nqbench_in(tmp_path)
    campaign = [
        "run", "--n", "64", "--conflict-limit", "1000", "--encoding", "product",
        "--backend", "minisat22,glucose4,cadical195,cadical300", "--repeat", "1",
        "--no-plots", "-q",
    ]  # fmt: skip
    assert call(*campaign, "--results", "idle").returncode == 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
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


def made(conflicts, outcome="finished"):
    finished = outcome == "finished"
    return {
        "encoding": "pairwise",
        "backend": "solver",
        "family": "queens",
        "instance": "",
        "n": 8,
        "task": "first",
        "repeat": 0,
        "machine": "here",
        "outcome": outcome,
        "answer": "sat" if finished else "unknown",
        "verdict": "verified" if finished else "unchecked",
        "conflicts": conflicts,
        "conflict_limit": 100,
        "time_limit_s": 30.0,
        "encode_s": 1.0,
        "load_s": 1.0,
        "solve_s": 1.0,
        "decode_s": 1.0,
    }


def test_unsolved_runs_count_as_twice_the_limit_of_conflicts():
    records = pl.DataFrame([made(10), made(30), made(100, "work-limit"), made(None, "timeout")])
    table = overview(records, "conflicts")
    assert table["par2_s"].item() == (10 + 30 + 200 + 200) / 4
    assert table["median_s"].item() == (30 + 100) / 2
    assert table["solved"].item() == 2
    assert table["unsolved"].item() == "1 timeout, 1 work-limit"


def test_a_metric_that_some_runs_lack_is_an_error_and_not_a_smaller_sample():
    unknown = pl.DataFrame([made(10), made(None)])
    with pytest.raises(InputError, match="pairwise x solver does not report conflicts"):
        observed(unknown, "conflicts")
    unbounded = pl.DataFrame([made(10), made(99, "timeout")]).with_columns(
        conflict_limit=pl.lit(None, pl.Int64)
    )
    with pytest.raises(InputError, match="unsolved runs without a limit of conflicts"):
        observed(unbounded, "conflicts")


@pytest.mark.parametrize("value", ["0", "-1", "x", str(2**31), "1.5", "1e-3", "1e99"])
def test_a_limit_that_no_solver_takes_is_an_error(nqbench, value):
    done = nqbench("run", "--n", "4", "--conflict-limit", value)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["1000000", "1_000_000", "1e6", "1E+6", "1.0e6", "0.01e8"])
def test_a_million_is_one_number_in_every_notation(text):
    assert parse_count(text) == 10**6


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("1.5", "1e6"), ("1e-3", "1e6"), ("2M", "2e6"), ("1,000", "1000"), ("0", "from 1"),
        ("1e10", "to 2147483647"), ("1e999", "to"), ("", "1e6"), ("-5", "1e6"), ("nan", "1e6"),
    ],
)  # fmt: skip
def test_what_is_no_limit_of_work_gets_a_line_that_says_what_to_write(text, instead):
    with pytest.raises(InputError, match=f"'{text}' is .*{instead}"):
        parse_count(text)


@pytest.mark.parametrize("limit", [1000, 1e3, "1e3", "1_000"])
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
