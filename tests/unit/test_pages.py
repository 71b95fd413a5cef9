"""Pages that a function writes to are copied before it begins, as the kernel counts faults."""

import mmap
import os
import resource
import time

import numpy as np
import pytest

from nqbench import isolate
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.isolate.pages import Pages

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")
PAGES, PAGE = 300, mmap.PAGESIZE
LIMITS = Limits(time_s=30.0)


@pytest.fixture
def memory():
    """Memory of this process that a fork shares until it is written to."""
    mapped = mmap.mmap(-1, PAGES * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    view = np.frombuffer(mapped, np.uint8)
    view[:] = 7
    return view


def faults(pages, function):
    """How often the kernel had to step in while the function was executed in another process."""

    def counted():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        function()
        return str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before).encode()

    return int(isolate.call(counted, LIMITS, pages=pages).payload)


def test_a_function_that_writes_where_others_wrote_waits_for_no_copy(memory):
    def write():
        memory[::PAGE] = 8

    pages = Pages()
    seen = [faults(pages, write) for _ in range(5)]
    assert min(seen[:3]) >= PAGES
    assert max(seen[3:]) < PAGES / 10
    assert set(memory) == {7}


def test_what_one_call_wrote_to_is_not_copied_for_all_others(memory):
    """Each copy takes time, also if nothing is written to it."""
    pages = Pages()
    for first in (0, 100, 200):
        faults(pages, lambda first=first: memory[first * PAGE : (first + 100) * PAGE].fill(8))
    assert faults(pages, lambda: memory[::PAGE].fill(8)) >= PAGES


def test_a_function_that_lies_about_its_pages_gets_none_but_those_of_its_parent(memory):
    """It can write to the memory in which it tells them, and name every page of its parent."""

    def lie():
        half = len(pages._report) // 2
        pages._report[:] = b"\0" * half + b"\xff" * half
        os._exit(0)

    pages = Pages()
    for _ in range(3):
        ending = isolate.call(lie, LIMITS, pages=pages)
        assert ending.outcome is Outcome.CRASHED
    ending = isolate.call(lambda: bytes(memory[:3]), LIMITS, pages=pages)
    assert ending.payload == b"\x07\x07\x07"
    assert pages._blocks
    ours = [(start, start + count * PAGE) for start, count in pages._regions]
    for block in pages._blocks:
        last = block.address + block.size
        assert any(start <= block.address and last <= end for start, end in ours)


def test_memory_that_the_parent_has_given_back_since_is_left_alone():
    mapped = mmap.mmap(-1, PAGES * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages = Pages()
    for _ in range(3):
        isolate.call(lambda: mapped.write(b"x" * PAGE * PAGES) and b"", LIMITS, pages=pages)
    mapped.close()
    ending = isolate.call(lambda: b"done", LIMITS, pages=pages)
    assert ending.payload == b"done"


def test_a_call_that_does_not_end_by_itself_teaches_nothing(memory):
    """Its process was killed before it could tell; limits hold as without pages."""
    pages = Pages()
    for _ in range(3):
        ending = isolate.call(lambda: time.sleep(60), Limits(time_s=0.05), pages=pages)
        assert ending.outcome is Outcome.TIMEOUT
    assert faults(pages, lambda: memory[::PAGE].fill(8)) >= PAGES
