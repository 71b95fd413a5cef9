"""Hundreds of damaged messages and stores: each gives an nqbench error or correct records."""

import random
import socket
import time
from dataclasses import replace

import msgspec
import numpy as np
import polars as pl
import pytest
from made_records import RUN, record_of

from nqbench.backends.base import Backend
from nqbench.clauses.cnf import no_clauses
from nqbench.common.errors import NqbenchError
from nqbench.common.vocabulary import Outcome, Verdict
from nqbench.encodings.base import Encoding
from nqbench.isolate import printed_output
from nqbench.isolate.supervise import Ending
from nqbench.measure import validation
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.measure.wire import Busy, Closed, Garbled, Order, Silent, Wire
from nqbench.measure.worker import WorkerReport, answer
from nqbench.problems.queens import Queens
from nqbench.records import frame, sources
from nqbench.records.merging import merge
from nqbench.records.record import Record
from nqbench.records.store import Store

MANY = 200
STORES = 40  # each is written and opened
PAIRWISE, MINISAT = Encoding.named("pairwise"), Backend.named("minisat22")
ENDING = Ending(Outcome.FINISHED, "", b"", 1.0, 1.0, None, 0, None)


def spoiled(content, source):
    """Some bytes changed, deleted, repeated or inserted."""
    spoiled = bytearray(content)
    for _ in range(source.randint(1, 4)):
        first = source.randrange(len(spoiled) + 1)
        last = min(len(spoiled), first + source.choice([0, 1, 1, 2, 8, 100]))
        piece = source.randbytes(source.choice([0, 1, 1, 2, 8]))
        match source.choice(["change", "change", "cut", "double"]):
            case "change":
                spoiled[first:last] = source.randbytes(last - first)
            case "cut":
                spoiled[first:last] = piece
            case "double":
                spoiled[last:last] = spoiled[first:last]
    return bytes(spoiled)


@pytest.mark.parametrize("n", [3, 6])
def test_of_a_spoiled_report_nothing_wrong_is_verified(n):
    source = random.Random(n)
    problem = Queens(n)
    run = replace(RUN, problem=problem, encoding="pairwise", backend="minisat22")
    cnf = PAIRWISE.clauses(problem)
    judge, loaded = RunJudge(), LoadedRun.of(run, PAIRWISE, MINISAT)
    content = answer(run, PAIRWISE, MINISAT, cnf, no_clauses())
    admitted = 0
    for _ in range(MANY):
        told = validation.admitted(run, replace(ENDING, payload=spoiled(content, source)))
        if not isinstance(told, WorkerReport):
            assert told.outcome is Outcome.CRASHED
            assert "the worker of pairwise x minisat22 reported" in told.message
            continue
        admitted += 1
        check = judge.check(loaded, told)
        if check.verdict is Verdict.VERIFIED and told.answer == "sat":
            assert problem.violation(told.solution) is None
            assert cnf.falsified(told.assignment) is None
        elif check.verdict is Verdict.VERIFIED:
            assert n == 3
        validation.what_phases_leave_open(run, told, ENDING)
    assert 0 < admitted < MANY


def test_a_spoiled_message_is_a_message_or_said_to_be_none():
    source = random.Random(1)
    record = record_of(8, queens=[1, 16, 21], message="a message", wall_s=0.5)
    header = bytes([4])
    packed = msgspec.msgpack.encode(record)
    content = header + len(packed).to_bytes(8, "big") + packed
    run = replace(RUN, problem=Queens(8))
    whole = 0
    for _ in range(MANY):
        ours, theirs = socket.socketpair()
        wire = Wire(theirs)
        with ours, theirs:
            ours.sendall(spoiled(content, source))
            if source.random() < 0.5:
                ours.shutdown(socket.SHUT_WR)
            try:
                message = wire.receive(Busy, Record, deadline=time.monotonic() + 0.01)
            except (Closed, Garbled, Silent):
                continue
        whole += 1
        assert isinstance(message, Busy | Record)
        if (
            isinstance(message, Record)
            and validation.flaw_of_record(message, Record.of(run, "")) is None
        ):
            frame.admitted(frame.of([message]), "message")
    assert 0 < whole < MANY


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good" / "nqbench.db"
    with Store(path) as store:
        for n in range(4, 20):
            record = record_of(n, queens=list(range(1, n + 1)), measures={"glue": 2.5 / n})
            store.add(record, printed_output.pack_log(b"glue: %d" % n))
    return path


def test_a_store_of_spoiled_bytes_is_read_or_refused(tmp_path, good):
    source = random.Random(2)
    content, path = good.read_bytes(), tmp_path / "spoiled.db"
    read = 0
    for _ in range(STORES):
        for left in tmp_path.glob("spoiled.db*"):
            left.unlink()
        path.write_bytes(spoiled(content, source))
        read += is_read_or_refused(path, tmp_path / "ours.db")
    assert 0 < read < STORES


def is_read_or_refused(path, ours):
    """Whether the store was read. If so, it can be merged, and the result can be read again."""
    try:
        records = sources.read(str(path))
    except NqbenchError:
        return False
    assert isinstance(records, pl.DataFrame)
    for left in ours.parent.glob("ours.db*"):
        left.unlink()
    with Store(ours) as store:
        try:
            merge(store.path, [path])
        except NqbenchError:
            assert store.frame().is_empty()
            return False
        assert len(store.frame()) == len(records)
    return True


def test_an_order_comes_back_as_the_run_that_it_is():
    for problem in (Queens(4, "completion", placed=((0, 1),), density=1), Queens(8)):
        run = replace(RUN, problem=problem, limits=replace(RUN.limits, time_s=300))
        packed = msgspec.msgpack.encode(Order.of(run))
        assert msgspec.msgpack.decode(packed, type=Order).run == run
        assert msgspec.msgpack.decode(packed, type=Order).run.id == run.id
    assert np.isfinite(RUN.limits.time_s)
