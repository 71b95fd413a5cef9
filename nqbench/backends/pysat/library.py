"""Calls the shared object of PySAT for what PySAT does not offer: the C++ interface of a CaDiCaL,
and proofs in a file of ours.

PySAT ignores an option that CaDiCaL does not have, CaDiCaL replaces a value out of range by the
nearest one, and the process ends if PySAT reads a model to which CaDiCaL 3 has added variables. The
interface, which the shared object of PySAT exports, is in
https://github.com/arminbiere/cadical/blob/master/src/cadical.hpp.

PySAT opens a temporary file for a proof, and returns its content as a list of strings, which takes
longer than to solve.
"""

import ctypes
import os
from collections.abc import Callable, Mapping
from itertools import repeat
from typing import Any, BinaryIO, Final

import numpy as np

from nqbench.backends.direct import address_in
from nqbench.clauses.cnf import Assignment
from nqbench.common.errors import InputError, UnavailableError

_POINTER: Final = ctypes.c_void_p
_INT: Final = ctypes.c_int


class CaDiCaL:
    """A solver of PySAT, given by its version, such as '195', and its capsule.

    Raises `UnavailableError` if the shared object lacks a function.
    """

    def __init__(self, version: str, capsule: Any) -> None:
        import pysolvers

        self._library = ctypes.CDLL(pysolvers.__file__)
        self._space = f"CaDiCaL{version}"
        self._address = address_in(capsule)

    def check_options(self, options: Mapping[str, object]) -> None:
        """Raise `InputError` unless the solver has taken these options."""
        exists = self._function("15is_valid_optionEPKc", ctypes.c_bool, ctypes.c_char_p)
        get = self._function("3getEPKc", _INT, _POINTER, ctypes.c_char_p)
        for name, value in options.items():
            if not exists(name.encode()):
                raise InputError(f"there is no option '{name}'")
            actual_value = get(self._address, name.encode())
            if actual_value != value:
                raise InputError(
                    f"option '{name}' is {value}, but the nearest that works is {actual_value}"
                )

    def model(self, num_variables: int) -> Assignment:
        """The values of the first variables."""
        kinds = (_POINTER, _INT, ctypes.c_bool)
        value = self._function("3valEib", _INT, *kinds)
        variables = range(1, num_variables + 1)
        literals = map(value, repeat(self._address), variables, repeat(True))
        return np.fromiter(literals, dtype=np.int32, count=num_variables) > 0

    def write_lrat(self, descriptor: int) -> Callable[[], None]:
        """Have a solver without clauses write its proof to a file, and return what finishes it."""
        set_option = self._function("3setEPKci", ctypes.c_bool, _POINTER, ctypes.c_char_p, _INT)
        trace = self._function(
            "11trace_proofEP8_IO_FILEPKc", ctypes.c_bool, _POINTER, _POINTER, ctypes.c_char_p
        )
        end = self._function("17close_proof_traceEb", None, _POINTER, ctypes.c_bool)
        libc = ctypes.CDLL(None)
        libc.fdopen.restype, libc.fclose.argtypes = _POINTER, [_POINTER]
        for option in (b"lrat", b"binary"):
            set_option(self._address, option, 1)
        file = libc.fdopen(os.dup(descriptor), b"wb")
        trace(self._address, file, b"proof")

        def finish() -> None:
            end(self._address, False)
            libc.fclose(file)

        return finish

    def _function(self, name: str, result: Any, *kinds: Any) -> Any:
        try:
            function = self._library[f"_ZN{len(self._space)}{self._space}6Solver{name}"]
        except AttributeError as error:
            raise UnavailableError(f"PySAT does not export {name} of {self._space}") from error
        function.restype, function.argtypes = result, kinds
        return function


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
