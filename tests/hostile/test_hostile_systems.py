"""Restricted systems: few descriptors, one CPU, no home folder, a clock that jumps."""

import os
import resource
import shutil
import subprocess

import pytest
from databases import database

COMMAND = ("run", "--n", "4..6", "--encoding", "pairwise", "--backend", "minisat22,cadical195")
ALL = ("finished", "verified", 18)


def outcomes(folder):
    with database(folder / "results" / "nqbench.db") as db:
        query = "SELECT outcome, verdict, count(*) FROM records GROUP BY outcome, verdict"
        return db.execute(query).fetchall()


def limited(kind, number):
    def limit():
        resource.setrlimit(kind, (number, number))

    return limit


def test_few_descriptors_are_enough(nqbench, tmp_path):
    done = nqbench(*COMMAND, preexec_fn=limited(resource.RLIMIT_NOFILE, 32))
    assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path) == [ALL]


@pytest.mark.parametrize("number", [8, 16])
def test_fewer_are_said_to_be_too_few(nqbench, number):
    done = nqbench(*COMMAND, "--no-plots", preexec_fn=limited(resource.RLIMIT_NOFILE, number))
    assert done.returncode in {0, 1, 2}
    if done.returncode:
        why = "Too many open files", "unable to open database file"  # the second is SQLite's
        assert any(reason in done.stderr for reason in why)
    assert "Traceback" not in done.stderr


def test_an_address_space_below_the_memory_limit_is_respected(nqbench, tmp_path):
    limit = limited(resource.RLIMIT_AS, 3_000_000_000)
    done = nqbench(*COMMAND, "--no-plots", preexec_fn=limit)
    assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path) == [ALL]


@pytest.mark.parametrize("mebibytes", [60, 1000])
def test_an_address_space_that_is_too_small_has_one_line(nqbench, mebibytes):
    limit = limited(resource.RLIMIT_AS, mebibytes * 2**20)
    done = nqbench(*COMMAND, preexec_fn=limit)
    assert (done.returncode, done.stderr) == (
        1,
        f"nqbench: the address space is limited to {mebibytes} MiB, and nqbench needs "
        "1024 MiB: see ulimit -v\n",
    )
    helped = nqbench("--help", preexec_fn=limit)
    assert (helped.returncode, helped.stderr) == (0, "")


@pytest.mark.parametrize("command", [("list", "encodings"), (*COMMAND, "--no-plots")])
def test_in_an_address_space_that_is_just_enough_there_is_no_traceback(nqbench, command):
    done = nqbench(*command, preexec_fn=limited(resource.RLIMIT_AS, 1100 * 2**20))
    assert done.returncode in {0, 1, 2}
    assert "Traceback" not in done.stderr


def test_one_processor_is_enough(nqbench, tmp_path):
    one = {min(os.sched_getaffinity(0))}
    done = nqbench(*COMMAND, "--no-plots", preexec_fn=lambda: os.sched_setaffinity(0, one))
    assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path) == [ALL]


def test_no_home_is_needed(nqbench, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.setenv("XDG_CACHE_HOME", "/nonexistent")
    done = nqbench(*COMMAND, "--no-plots")
    assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path) == [ALL]


# The wall clock jumps 403 days forwards or back twenty times a second; other clocks do not.
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) {
        struct timespec steady;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &steady);
        now->tv_sec += steady.tv_nsec / 50000000 % 2 ? 400L * 86400 : -3L * 86400;
    }
    return status;
}
"""


def test_a_clock_that_jumps_changes_no_time(nqbench, tmp_path, monkeypatch):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler, and so no clock that jumps")
    (tmp_path / "clock.c").write_text(CLOCK)
    library = tmp_path / "clock.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, tmp_path / "clock.c"], check=True, timeout=60
    )
    monkeypatch.setenv("LD_PRELOAD", str(library))
    done = nqbench(*COMMAND, "--no-plots")
    assert done.returncode == 0, done.stderr
    assert outcomes(tmp_path) == [ALL]
    with database(tmp_path / "results" / "nqbench.db") as db:
        first, last, longest = db.execute(
            "SELECT min(started_at), max(started_at), max(wall_s) FROM records"
        ).fetchone()
    assert last - first > 86400
    assert 0 < longest < 60
