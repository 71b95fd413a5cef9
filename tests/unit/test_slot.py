"""A slot outlives what other runs do to its fork server."""

import signal
import socket
import subprocess

import pytest

from nqbench.campaign.executors import interpreter
from nqbench.campaign.executors.slot import Slot
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import ExecutorError
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.measure.wire import Prepare
from nqbench.problems.queens import Queens

(RUN,) = Campaign(
    problems=[Queens(6)], encodings=["pairwise"], backends=["minisat22"], repeat=1
).runs()


def test_a_server_is_started_again_as_soon_as_there_are_processes_for_it(monkeypatch):
    """The run of another slot may have used up the processes of this user until its limit."""
    started, refused, popen = [], [BlockingIOError(11, "no more processes")] * 2, subprocess.Popen

    def start(*arguments, **options):
        if started and refused:
            raise refused.pop()
        started.append(popen(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    slot = Slot(Prepare.of([RUN]))
    try:
        slot.until_ready()
        started[0].send_signal(signal.SIGKILL)
        slot.begin(RUN)
        record = slot.finish()
        assert (record.outcome, record.message) == (
            Outcome.CRASHED,
            "the fork server died with status -9",
        )
        slot.begin(RUN)
        assert slot.finish().verdict is Verdict.VERIFIED
    finally:
        slot.close()
    assert (len(started), refused) == (2, [])


def test_a_server_that_dies_before_it_is_told_anything_is_said_in_one_line(monkeypatch):
    process = subprocess.Popen(["sh", "-c", "exit 3"])
    process.wait()
    ours, theirs = socket.socketpair()
    theirs.close()
    monkeypatch.setattr(interpreter, "take", lambda: interpreter.Interpreter(process, ours))
    slot = Slot(Prepare.of([RUN]))
    with pytest.raises(ExecutorError, match=r"^a fork server died with status 3 before its first"):
        slot.until_ready()
    slot.close()
