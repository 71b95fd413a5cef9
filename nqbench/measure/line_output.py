"""Flushes output by line, so that no output is lost in buffers if a run is killed."""

import contextlib
import ctypes
import io
import sys
from collections.abc import Iterator
from typing import Final

_c: Final = ctypes.PyDLL(None)
_BY_LINE: Final = 1  # _IOLBF


@contextlib.contextmanager
def printed_by_line() -> Iterator[None]:
    """Write each line to standard output when it is complete, and at the end what is left."""
    # A process without a terminal would otherwise collect 4 KiB and more, in C and in Python.
    _c.setvbuf(ctypes.c_void_p.in_dll(_c, "stdout"), None, _BY_LINE, 0)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    try:
        yield
    finally:
        sys.stdout.flush()
        _c.fflush(None)
