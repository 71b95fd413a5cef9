"""Functions that emit items one by one."""

import pytest
from misbehaviour import segfault, spin

from nqbench import isolate
from nqbench.common.limits import PatientLimits
from nqbench.common.vocabulary import Outcome

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
SHORT = PatientLimits(time_s=0.3, memory_bytes=4 * 2**30, output_bytes=2**50)
LONG = PatientLimits(time_s=30.0, memory_bytes=4 * 2**30)


def followed(stream):
    """The items of a stream and its ending."""
    items = []
    while True:
        try:
            items.append(next(stream))
        except StopIteration as end:
            return items, end.value


def emit_large_and_small(emit):
    for size in (0, 1, 5_000_000, 2):
        emit(b"x" * size)


def test_a_stream_hands_out_what_is_emitted_in_order():
    items, ending = followed(isolate.stream(emit_large_and_small, LONG))
    assert [len(item) for item in items] == [0, 1, 5_000_000, 2]
    assert (ending.outcome, ending.payload) == (Outcome.FINISHED, b"")


def emit_and(then):
    def function(emit):
        emit(b"first")
        emit(b"second")
        then()

    return function


@pytest.mark.parametrize(
    ("then", "limits", "outcome"),
    [(spin, SHORT, Outcome.TIMEOUT), (segfault, LONG, Outcome.CRASHED)],
)
def test_what_was_emitted_before_the_end_is_not_lost(then, limits, outcome):
    items, ending = followed(isolate.stream(emit_and(then), limits))
    assert items == [b"first", b"second"]
    assert ending.outcome is outcome


def test_one_who_emits_waits_for_the_one_who_reads():
    """Items in transit fit into a pipe, so unlimited output needs limited memory."""

    def emit_for_ever(emit):
        while True:
            emit(b"x" * 10_000)

    stream = isolate.stream(emit_for_ever, LONG)
    for _ in range(1000):
        next(stream)
    assert len(stream.gi_frame.f_locals["supervisor"].result) < 2**21
    stream.close()
