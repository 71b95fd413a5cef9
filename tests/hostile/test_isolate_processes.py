"""Processes and threads that try to outlive a call, or to disturb it."""

import subprocess
import threading
import time

import pytest
from misbehaviour import assert_dies, talk_for_ever

from nqbench import isolate
from nqbench.common.limits import Limits, PatientLimits
from nqbench.common.vocabulary import Outcome

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
LONG = Limits(time_s=30.0, memory_bytes=4 * 2**30)


def raise_error():
    raise ArithmeticError("confused")


def test_threads_that_want_the_interpreter_stop_no_call():
    """As in a notebook, where a thread may hold the interpreter lock during the fork."""
    done = threading.Event()

    def come_and_go():
        while not done.wait(0.0001):
            pass

    threads = [threading.Thread(target=come_and_go) for _ in range(20)]
    try:
        for thread in threads:
            thread.start()
        endings = [isolate.call(lambda: b"done", LONG) for _ in range(25)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert {ending.outcome for ending in endings} == {Outcome.FINISHED}


@pytest.mark.parametrize(
    ("end", "outcome"),
    [
        (lambda: b"", Outcome.FINISHED),
        (raise_error, Outcome.CRASHED),
        (lambda: time.sleep(60), Outcome.TIMEOUT),
        (talk_for_ever, Outcome.CRASHED),
    ],
)
def test_processes_that_have_left_its_group_die_with_it(end, outcome, tmp_path):
    script = "setsid sh -c 'echo $$ > pid; exec sleep 60' & until [ -s pid ]; do :; done"

    def leave_an_orphan():
        subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
        return end()

    ending = isolate.call(leave_an_orphan, PatientLimits(time_s=2.0))
    assert ending.outcome is outcome
    assert_dies(int((tmp_path / "pid").read_text()))
