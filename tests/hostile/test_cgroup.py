"""Memory limits by control group, on machines that allow creating them."""

import contextlib
import mmap
import os
import subprocess
import time
from dataclasses import replace

import pytest
from misbehaviour import hoard, state

from nqbench import isolate
from nqbench.common.errors import UnavailableError
from nqbench.common.limits import Limits, MemoryBy
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.cgroup import MemoryGroup, _own_folder, _own_group

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
BY_CGROUP = Limits(time_s=30.0, memory_bytes=2**28, memory_by=MemoryBy.CGROUP)


def reserve_much_and_use_little():
    mmap.mmap(-1, 2**33)
    return b"reserved"


def hoard_in_two_children():
    for _ in range(2):
        if os.fork() == 0:
            kept = bytearray(150 * 2**20)
            kept[::4096] = b"x" * len(kept[::4096])
            time.sleep(60)
    _, status = os.wait()
    raise RuntimeError(f"a child ended with {status}")


def groups_can_be_made():
    try:
        MemoryGroup.create(2**30).remove()
    except UnavailableError:
        return False
    return True


needs_groups = pytest.mark.skipif(
    not groups_can_be_made(), reason="no control group can be made: that needs rights to its own"
)


def test_a_control_group_counts_what_is_used_by_all_processes_of_a_run():
    if not groups_can_be_made():
        with pytest.raises(UnavailableError, match="control group"):
            isolate.call(reserve_much_and_use_little, BY_CGROUP)
        return
    assert isolate.call(reserve_much_and_use_little, BY_CGROUP).payload == b"reserved"
    by_address_space = replace(BY_CGROUP, memory_by=MemoryBy.ADDRESS_SPACE)
    assert isolate.call(reserve_much_and_use_little, by_address_space).outcome is not (
        Outcome.FINISHED
    )
    for function in (hoard, hoard_in_two_children):
        hoarding = isolate.call(function, BY_CGROUP)
        assert hoarding.outcome is Outcome.MEMOUT
        assert hoarding.peak_rss_bytes > 0.9 * 2**28
    assert not list(_own_group()[0].glob("nqbench-*"))


def escape():
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(60)
    return str(pid).encode()


@needs_groups
def test_a_process_that_has_left_its_group_dies_with_the_control_group():
    escaped = int(isolate.call(escape, BY_CGROUP).payload)
    assert state(escaped) == "Z"  # or it has ended
    assert not list(_own_group()[0].glob("nqbench-*"))


def test_what_a_killed_process_left_behind_is_cleared_away(tmp_path, monkeypatch):
    monkeypatch.setattr("nqbench.isolate.cgroup._ROOT", tmp_path)
    monkeypatch.setattr("nqbench.isolate.cgroup._OWN", tmp_path / "proc")
    (tmp_path / "proc").write_text("0::/group\n")
    dead = subprocess.Popen(["true"])
    dead.wait()
    of_dead, of_living = (tmp_path / "group" / f"nqbench-{pid}" for pid in (dead.pid, os.getppid()))
    for path in (of_dead, of_living):
        path.mkdir(parents=True)
    (tmp_path / "group" / "cgroup.controllers").write_text("memory\n")
    MemoryGroup.create(2**20)
    assert not of_dead.exists()
    assert of_living.exists()


def test_control_groups_of_the_second_version_are_files_of_other_names(tmp_path, monkeypatch):
    """On a tree of plain files, since a machine has only one version."""
    own = tmp_path / "group"
    own.mkdir()
    (own / "cgroup.controllers").write_text("cpu memory pids\n")
    (tmp_path / "proc").write_text("0::/group\n")
    monkeypatch.setattr("nqbench.isolate.cgroup._ROOT", tmp_path)
    monkeypatch.setattr("nqbench.isolate.cgroup._OWN", tmp_path / "proc")
    group = MemoryGroup.create(2**20)
    assert (group.path / "memory.max").read_text() == str(2**20)
    assert (group.path / "memory.swap.max").read_text() == "0"
    (group.path / "memory.peak").write_text("12345\n")
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 1\n")
    assert (group.peak_bytes(), group.killed()) == (12345, True)
    (own / "cgroup.controllers").write_text("cpu pids\n")
    with pytest.raises(UnavailableError, match="no memory controller"):
        MemoryGroup.create(2**20)


def nest():
    """Stay in a group two levels below the one of the run."""
    below = _own_folder()[0] / "below" / "lowest"
    below.mkdir(parents=True)
    (below / "cgroup.procs").write_text("0")
    return b"nested"


def leave_and_delete():
    group, _ = _own_folder()
    (group.parent / "cgroup.procs").write_text("0")
    group.rmdir()
    return b"left"


def set_the_limit():
    group, files = _own_folder()
    for name in (files.swap_limit, files.limit):
        with contextlib.suppress(OSError):
            (group / name).write_text(str(2**33))
    return b"unlimited"


@needs_groups
@pytest.mark.parametrize(
    ("function", "outcome", "message"),
    [
        (nest, Outcome.FINISHED, ""),
        (leave_and_delete, Outcome.CRASHED, "the control group of the run was deleted from inside"),
        (set_the_limit, Outcome.CRASHED, "the memory limit of the run was set to 8589934592 from"),
    ],
)
def test_a_process_that_changes_its_control_group_ends_no_campaign(function, outcome, message):
    ending = isolate.call(function, BY_CGROUP)
    assert ending.outcome is outcome, ending
    assert ending.message.startswith(message)
    assert not list(_own_group()[0].glob("nqbench-*"))


@needs_groups
def test_two_threads_have_two_groups():
    groups = [MemoryGroup.create(2**30) for _ in range(2)]
    assert groups[0].path != groups[1].path
    for group in groups:
        group.remove()
