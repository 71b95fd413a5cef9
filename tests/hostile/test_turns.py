"""Functions of which only one is executed at a time, and slots that take turns."""

import fcntl
import os
import signal
import stat
import threading
import time
from pathlib import Path

import pytest
from measuring import campaign

from nqbench import isolate
from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.executors.slot import Slot
from nqbench.campaign.schedule import Schedule
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import Outcome, Verdict

SHORT = PatientLimits(time_s=0.5, memory_bytes=4 * 2**30)
LONG = PatientLimits(time_s=30.0, memory_bytes=4 * 2**30)


@pytest.fixture
def file(tmp_path):
    (tmp_path / "turn").touch()
    return tmp_path / "turn"


@pytest.fixture
def turn(file):
    descriptor = os.open(file, os.O_RDWR)
    yield descriptor
    os.close(descriptor)


def is_free(file):
    with file.open("r+") as another:
        try:
            fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def somebody_waits_for(file):
    """Whether a process waits for the turn, as the kernel says: see proc_locks(5)."""
    inode = str(file.stat().st_ino)
    lines = map(str.split, Path("/proc/locks").read_text().splitlines())
    return any(fields[1] == "->" and fields[6].endswith(f":{inode}") for fields in lines)


def test_a_call_waits_for_its_turn_and_has_its_whole_time_then(file, turn):
    with file.open("r+") as another:
        fcntl.flock(another, fcntl.LOCK_EX)
        asked = time.monotonic()

        def hold():
            while not somebody_waits_for(file):
                time.sleep(0.01)
            time.sleep(3 * SHORT.time_s)
            fcntl.flock(another, fcntl.LOCK_UN)

        holder = threading.Thread(target=hold)
        holder.start()
        ending = isolate.call(lambda: repr(time.monotonic()).encode(), SHORT, turn=turn)
        passed_s = time.monotonic() - asked
        holder.join()
    assert ending.outcome is Outcome.FINISHED
    assert float(ending.payload) - asked > 3 * SHORT.time_s
    assert ending.function_s < ending.wall_s < passed_s - 3 * SHORT.time_s
    assert is_free(file)


def test_the_limit_holds_in_a_turn_and_the_turn_ends_with_it(file, turn):
    ending = isolate.call(lambda: time.sleep(60) or b"", SHORT, turn=turn)
    assert ending.outcome is Outcome.TIMEOUT
    assert is_free(file)


def test_a_turn_ends_with_a_process_that_dies(file, turn):
    ending = isolate.call(lambda: os.kill(os.getpid(), signal.SIGKILL), LONG, turn=turn)
    assert ending.signal == signal.SIGKILL
    assert is_free(file)


def test_a_function_has_the_turn_and_cannot_end_it(file, turn):
    def function():
        try:
            os.fstat(turn)
        except OSError:
            return b"taken" if not is_free(file) else b"free"
        return b"open"

    assert isolate.call(function, LONG, turn=turn).payload == b"taken"


SOLVER = """#!/bin/sh
if grep -q 'p cnf 2 2' "$1"; then
    echo s SATISFIABLE
    echo v 1 2 0
    exit 10
fi
echo begin >> {log}
sleep 0.01
echo end >> {log}
echo s UNKNOWN
"""


def test_slots_that_take_turns_execute_one_run_at_a_time(tmp_path):
    program, log = tmp_path / "solver", tmp_path / "log"
    program.write_text(SOLVER.format(log=log))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    runs = campaign(backend=f"exe:{program}", sizes=tuple(range(4, 24)))
    with LocalExecutor(runs, ahead=True) as executor:
        assert executor.free == 2
        records = list(runner.records(Schedule(runs), executor))
    assert {record.run_id for record in records} == {run.id for run in runs}
    assert {record.outcome for record in records} == {Outcome.FINISHED}
    assert log.read_text().split() == ["begin", "end"] * len(runs)


def children(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.usefixtures("faulty_plugin", "servers_are_children")
@pytest.mark.parametrize("which", [0, 1])
def test_a_server_that_dies_in_its_turn_holds_nobody_up(which):
    runs = campaign(backend="faulty-sleeps", sizes=(4, 5), time_s=3.0)
    runs += campaign(sizes=(6, 7, 8))
    earlier = set(children(os.getpid()))
    with LocalExecutor(runs, ahead=True) as executor:
        servers = sorted(set(children(os.getpid())) - earlier)
        assert len(servers) == 2

        def kill_when_both_run():
            while not all(map(children, servers)):
                time.sleep(0.01)
            os.kill(servers[which], signal.SIGKILL)

        killer = threading.Thread(target=kill_when_both_run)
        killer.start()
        records = list(runner.records(Schedule(runs), executor))
        killer.join()
    ended = sorted(record.outcome for record in records if record.backend == "faulty-sleeps")
    assert ended == sorted([Outcome.CRASHED, Outcome.TIMEOUT])
    others = [record for record in records if record.backend != "faulty-sleeps"]
    assert [record.verdict for record in others] == [Verdict.VERIFIED] * 3


@pytest.mark.usefixtures("faulty_plugin")
def test_a_run_that_waits_is_not_taken_for_a_server_that_is_silent(monkeypatch):
    monkeypatch.setattr("nqbench.campaign.executors.slot.GRACE_S", 1.0)
    long = campaign(backend="faulty-sleeps", sizes=(4,), time_s=4.0)
    runs = [*long, *campaign(sizes=(5, 6), time_s=2.0)]
    with LocalExecutor(runs, ahead=True) as executor:
        records = {record.n: record for record in runner.records(Schedule(runs), executor)}
    assert records[4].outcome is Outcome.TIMEOUT
    assert [records[n].verdict for n in (5, 6)] == [Verdict.VERIFIED] * 2


@pytest.mark.usefixtures("faulty_plugin")
@pytest.mark.parametrize("others", [1, 12])
def test_a_silent_server_costs_only_its_own_run(monkeypatch, others):
    """Also if it is silent in its turn, for which the other waits."""
    monkeypatch.setattr("nqbench.campaign.executors.slot.GRACE_S", 1.0)
    # Which was heard last is a guess, and here a wrong one: the kernel knows whose turn it is.
    monkeypatch.setattr("nqbench.campaign.executors.local._heard", lambda slot: -slot.heard)
    runs = campaign(backend="hostile-stops-its-parent", sizes=(4,), time_s=2.0)
    runs += campaign(sizes=range(5, 5 + others), time_s=5.0)
    with LocalExecutor(runs, ahead=True) as executor:
        records = {record.n: record for record in runner.records(Schedule(runs), executor)}
    assert "fell silent while running" in records.pop(4).message
    assert len(records) == others
    said = {record.message for record in records.values()}
    assert {record.verdict for record in records.values()} == {Verdict.VERIFIED}, said


def test_a_slot_waits_for_a_turn_but_not_for_ever():
    slot = Slot.__new__(Slot)
    slot._allow("running", 1.0)
    granted = []
    for _ in range(100):
        before = slot.deadline
        slot.wait_on()
        granted.append(slot.deadline > before)
    assert granted[0]
    assert not any(granted[20:])
    slot._allow("proving", 1.0)
    assert slot.may_wait
