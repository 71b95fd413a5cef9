"""Backends and encodings that attack the harness. At most they crash, with a recorded reason; they
never cause a wrong verdict, a forged time, a hang, or the end of the campaign.
"""

import os
import pickle
import resource
import socket
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from measuring import HOPELESS, measured
from misbehaviour import started_with

from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import SolverError
from nqbench.common.limits import Limits
from nqbench.common.printable import LONGEST
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.encodings.base import Encoding
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.timing import PhaseTime
from nqbench.measure.wire import Garbled, Wire
from nqbench.measure.worker import WorkerReport
from nqbench.problems.families.cnf import Formula, formulas
from nqbench.problems.queens import Queens
from nqbench.records.record import Record
from nqbench.testing import check_encoding

pytestmark = pytest.mark.usefixtures("faulty_plugin")

LIMIT_S = 1.0


FORGED = {
    "hostile-forges-negative": "-5 s of solve",
    "hostile-forges-nan": "nan s of load",
    "hostile-forges-infinity": "inf s CPU of decode",
    "hostile-forges-more": "phases of 1e+03 s in a process of",
    "hostile-forges-size": "a model of 1099511627776 values in 5 bytes",
    "hostile-forges-queens": "the option (1000000000000000000, 1000000000000000000)",
    "hostile-forges-rejected": "rejected models = a number of 64 bits",
    "hostile-forges-columns": "a count of best_k",
    "hostile-counts-too-far": "conflicts = a number of 64 bits",
    "hostile-forges-garbage": "an invalid report",
    "hostile-forges-nothing": "an invalid report",
    "hostile-forges-types": "an invalid report: Expected",
    "hostile-forges-answer": "an invalid report: Invalid enum value 'perhaps'",
}


def test_a_report_that_cannot_be_is_a_crash_of_who_made_it():
    runs = Campaign(
        problems=[Queens(6)], encodings=["pairwise"], backends=[*FORGED, "minisat22"], repeat=1
    ).runs()
    records = {record.backend: record for record in runner.measured(runs)}
    assert records.pop("minisat22").verdict is Verdict.VERIFIED
    for backend, record in records.items():
        assert (record.outcome, record.verdict) == (Outcome.CRASHED, Verdict.UNCHECKED)
        assert record.message.startswith(f"the worker of pairwise x {backend} reported ")
        assert FORGED[backend] in record.message
        assert (record.answer, record.solve_s) == (None, None)
    assert records.keys() == FORGED.keys()


def test_a_clock_that_goes_backwards_changes_nothing():
    record = measured("hostile-patches-clocks")
    assert (record.outcome, record.verdict) == (Outcome.FINISHED, Verdict.VERIFIED), record.message
    assert 0 < record.solve_s < record.wall_s


@pytest.mark.parametrize(
    ("backend", "phase", "task"),
    [
        ("hostile-solves-in-model", "decode_s", Task.FIRST),
        ("hostile-solves-in-models", "solve_s", Task.ALL),
        ("hostile-sleeps-in-counters", "decode_s", Task.FIRST),
    ],
)
def test_no_call_of_a_backend_is_free(backend, phase, task):
    record = measured(backend, task=task)
    assert record.verdict is Verdict.VERIFIED
    assert getattr(record, phase) >= 1
    if phase == "decode_s":
        assert f"decode took {record.decode_s:.1f} s, solve only" in record.message


def test_a_slow_decode_is_in_the_total_and_is_told():
    from nqbench.records import frame
    from nqbench.summary import observed

    record = measured(encoding="hostile-decodes-slowly")
    assert record.verdict is Verdict.VERIFIED
    assert observed(frame.of([record]), "total_s")["time_s"].item() >= 1
    assert f"decode took {record.decode_s:.1f} s" in record.message


@pytest.mark.parametrize(
    ("encoding", "outcome", "message"),
    [
        ("hostile-decodes-by-itself", Outcome.CRASHED, "where all of 1 values are true"),
        ("hostile-decodes-another", Outcome.FINISHED, "not the one that the model's squares show"),
        ("hostile-decodes-floats", Outcome.CRASHED, "expected pairs of int"),
        ("hostile-decodes-huge", Outcome.CRASHED, "hostile-decodes-huge"),
        ("hostile-wide-literals", Outcome.CRASHED, "a block of int64"),
    ],
)
def test_an_encoding_that_does_not_read_the_model_is_not_verified(encoding, outcome, message):
    record = measured(encoding=encoding)
    assert record.outcome is outcome, record.message
    assert record.verdict is not Verdict.VERIFIED
    assert message in record.message


@pytest.mark.parametrize("encoding", ["hostile-decodes-floats", "hostile-wide-literals"])
def test_the_conformance_check_finds_the_same(encoding):
    with pytest.raises((AssertionError, SolverError, ValueError)):
        check_encoding(Encoding.named(encoding))


def test_a_proof_is_checked_where_no_code_of_its_author_has_run():
    record = measured("hostile-proof-of-nothing", problem=HOPELESS)
    assert (record.verdict, record.checked_by) == (Verdict.REFUTED, CheckedBy.PROOF)


@pytest.mark.parametrize(
    ("backend", "outcome", "message"),
    [
        ("hostile-joins-another-group", Outcome.TIMEOUT, "the time limit of 1 s"),
        ("hostile-daemons", Outcome.TIMEOUT, "the time limit of 1 s"),
        ("hostile-stops-its-parent", Outcome.CRASHED, "the fork server fell silent while running"),
    ],
)
def test_nothing_outlives_its_limit(monkeypatch, backend, outcome, message):
    mark = f"NQBENCH_TEST={backend}-{os.getpid()}"
    monkeypatch.setenv(*mark.split("="))
    record = measured(backend, time_s=LIMIT_S)
    assert record.outcome is outcome, record.message
    assert message in record.message
    deadline = time.monotonic() + 60
    while started_with(mark.encode()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_worker_has_no_descriptor_of_its_server():
    record = measured("hostile-writes-to-sockets")
    assert (record.outcome, record.verdict) == (Outcome.FINISHED, Verdict.VERIFIED), record.message


def test_a_worker_cannot_send_a_record_in_place_of_its_server():
    record = measured("hostile-forges-record")
    assert (record.answer, record.checked_by) == (Answer.SAT, CheckedBy.BOARD)
    assert record.verdict is Verdict.VERIFIED


@pytest.mark.parametrize("header", ["!Q", "!BQ"], ids=["length", "kind-and-length"])
def test_a_message_is_never_executed(tmp_path, header):
    class Attack:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    content = pickle.dumps(Attack())
    numbers = (4, len(content)) if header == "!BQ" else (len(content),)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(struct.pack(header, *numbers) + content)
        ours.shutdown(socket.SHUT_WR)
        with pytest.raises(Garbled):
            Wire(theirs).receive(Record)
    assert not (tmp_path / "made").exists()


def test_garbage_in_the_pipe_is_a_crash_of_the_worker():
    record = measured("hostile-writes-to-pipes")
    assert (record.outcome, record.verdict) == (Outcome.CRASHED, Verdict.UNCHECKED)
    assert record.answer is None
    assert "fork server" not in record.message


@pytest.mark.parametrize(
    ("encoding", "backend"),
    [
        ("pairwise", "hostile-counts-too-far"),
        ("pairwise", "hostile-forges-rejected"),
        ("hostile-decodes-far", "minisat22"),
    ],
)
def test_a_number_that_no_store_holds_ends_no_campaign(nqbench, encoding, backend):
    pair = ("--encoding", encoding, "--backend", backend)
    campaign = ("run", "--n", "6", *pair, "--repeat", 2, "--no-plots")
    first, second = nqbench(*campaign), nqbench(*campaign)
    assert "Traceback" not in first.stderr + second.stderr
    assert "all 2 runs are recorded already" in second.stderr


def test_a_message_is_short_and_leaves_the_terminal_alone():
    record = measured("hostile-shouts")
    assert record.outcome is Outcome.CRASHED
    assert len(record.message) <= LONGEST
    assert record.message.isprintable()
    assert "ArithmeticError" in record.message


def test_what_an_encoding_leaves_behind_is_killed(tmp_path, monkeypatch):
    note = tmp_path / "pid"
    monkeypatch.setenv("NQBENCH_TEST_DAEMON", str(note))
    record = measured(encoding="hostile-leaves-a-daemon")
    assert record.verdict is Verdict.VERIFIED
    assert not Path(f"/proc/{note.read_text()}").exists()


def test_a_formula_of_thirty_bytes_stays_within_its_limits(tmp_path):
    path = tmp_path / "huge.cnf"
    path.write_text("p cnf 2000000000 1\n1 0\n")
    limits = Limits(time_s=5.0)
    runs = Campaign(problems=formulas(path), backends=["minisat22"], repeat=1, limits=limits).runs()
    (record,) = runner.measured(runs)
    assert record.verdict is not Verdict.REFUTED
    # The worker has 4 GiB; a check in the server itself would take twice as much.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 6 * 2**20


class OneInstance(InstanceCache):
    """Has the same instance for all that is asked for."""

    def __init__(self, encoded):
        super().__init__(0)
        self.encoded = encoded

    def get(self, *_):
        return self.encoded


def test_a_check_that_costs_much_is_held_to_the_limits_of_the_run():
    cnf = CNF(2**22, 0, (np.array([[1]], dtype=np.int32),))
    model = np.ones(cnf.num_variables, dtype=np.bool_)
    report = WorkerReport(Answer.SAT, np.packbits(model).tobytes(), model.size)
    encoded = Encoded(cnf, cnf.digest(), PhaseTime(), 0)
    for time_s, verdict, message in [
        (60.0, Verdict.VERIFIED, ""),
        (1e-4, Verdict.UNCHECKED, "not checked: stopped at the time limit of 0.0001 s"),
    ]:
        runs = Campaign(
            problems=[Formula("wide.cnf", "00", "wide.cnf")],
            backends=["minisat22"],
            limits=Limits(time_s=time_s),
        ).runs()
        run = LoadedRun.of(runs[0], Encoding.named("file"), Backend.named("minisat22"))
        check = RunJudge(cache=OneInstance(encoded)).check(run, report)
        assert (check.verdict, check.message) == (verdict, message)
