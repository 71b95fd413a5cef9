"""Has a solver of PySAT write its proof to a file of ours.

PySAT opens a temporary file, and returns its content as a list of strings, which takes longer than
to solve.
"""

import ctypes
import os
from typing import Any, BinaryIO, Final

from nqbench.backends.direct.in_memory import address_in

_BUFFER: Final = 1 << 20
_FULLY_BUFFERED: Final = 0  # _IOFBF


def redirect(oracle: Any, proof: BinaryIO) -> None:
    """Put the file in the place of PySAT's, which the solver has not written to yet. PySAT writes
    line by line, with a system call for each.
    """
    os.dup2(proof.fileno(), oracle.solver.prfile.fileno())
    setvbuf = ctypes.CDLL(None).setvbuf
    setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
    setvbuf(address_in(oracle.solver.prfp), None, _FULLY_BUFFERED, _BUFFER)


def flush(oracle: Any) -> None:
    """Write what the solver still buffers."""
    import pysolvers

    pysolvers.flushpr(oracle.solver.prfp)


def keep_clauses(proof: BinaryIO, end: bytes) -> None:
    """Remove the steps that delete clauses from a DRAT proof whose steps end with `end`: a line
    feed in a text, NUL in the binary format.
    """
    descriptor = proof.fileno()
    bytes_read, bytes_written, incomplete = 0, 0, b""
    while piece := os.pread(descriptor, _BUFFER, bytes_read):
        bytes_read += len(piece)
        *steps, incomplete = (incomplete + piece).split(end)
        additions = b"".join(step + end for step in steps if not step.startswith(b"d"))
        bytes_written += os.pwrite(descriptor, additions, bytes_written)
    os.ftruncate(descriptor, bytes_written + os.pwrite(descriptor, incomplete, bytes_written))
