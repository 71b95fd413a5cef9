"""Any library with the IPASIR functions, given as `ipasir:PATH` (T. Balyo, A. Biere, M. Iser,
C. Sinz, "SAT Race 2015", Artificial Intelligence 241, 2016).

The library is foreign code that may do anything, even when it is loaded. So it is loaded only in
the processes of runs, and in a separate one to get its signature.
"""

import contextlib
import ctypes
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Final

import numpy as np

from nqbench import isolate
from nqbench.backends import direct
from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF, Assignment, Block
from nqbench.common.errors import InputError, SolverError, UnavailableError
from nqbench.common.limits import PatientLimits
from nqbench.common.printable import as_python, printable
from nqbench.common.vocabulary import Answer, Form, Loading, Outcome
from nqbench.plugins import programs

_ANSWERS: Final = {0: Answer.UNKNOWN, 10: Answer.SAT, 20: Answer.UNSAT}

_ASKED: Final = PatientLimits(time_s=5.0, memory_bytes=2**36)
"""Limits for asking a library for its signature."""

_LONGEST: Final = 100
"""The longest signature that is kept, in characters."""

_ELF: Final = b"\x7fELF"

_SOLVER, _NUMBER = ctypes.c_void_p, ctypes.c_int

_FUNCTIONS: Final = {
    "signature": (ctypes.c_char_p, ()),
    "init": (_SOLVER, ()),
    "release": (None, (_SOLVER,)),
    "add": (None, (_SOLVER, _NUMBER)),
    "assume": (None, (_SOLVER, _NUMBER)),
    "solve": (_NUMBER, (_SOLVER,)),
    "val": (_NUMBER, (_SOLVER, _NUMBER)),
    "failed": (_NUMBER, (_SOLVER, _NUMBER)),
    "set_terminate": (None, (_SOLVER, ctypes.c_void_p, ctypes.c_void_p)),
}
"""The result and the arguments of each function. `ipasir_set_learn` came later and is optional."""


class IPASIR(Backend):
    """A library at a path, as in `ipasir:/opt/libsolver.so`."""

    capabilities = Capabilities(incremental=True, assumptions=True)

    def __init__(self, name: str) -> None:
        base, colon, typed = name.partition(":")
        super().__init__(base)
        self.needs_path = not colon
        self._path: Path | None = None
        if colon:
            if not typed:
                raise InputError("'ipasir:' needs a library: write for instance ipasir:/opt/lib.so")
            if not typed.isprintable():
                raise InputError(f"'{name}' has characters that cannot be shown")
            self.name = name
            self._path = Path(typed).expanduser().absolute()

    @cached_property
    def version(self) -> str | None:
        """The signature of the library, its path, and a hash of its file. The name of the file
        replaces a signature that is missing. None if there is no file.
        """
        path = self._path
        if path is None or not _is_file(path):
            return None
        ending = isolate.call(lambda: _read_signature(path), _ASKED)
        has_signature = ending.outcome is Outcome.FINISHED and ending.payload
        signature = (
            printable(ending.payload.decode(errors="replace"), _LONGEST) if has_signature else ""
        )
        return f"{signature or path.name} at {path}, {programs.digest(path)}"

    @property
    def binaries(self) -> list[Path]:
        """The library."""
        return [self._path] if self._path else []

    def load(self, cnf: CNF) -> Solver:
        if self._path is None:
            raise UnavailableError("name a library: ipasir:PATH")
        return _Loaded(_library(self._path), cnf)

    def snippet(self, form: Form) -> Snippet | None:  # noqa: ARG002
        body = (
            "_, clauses, _ = read(path)\n"
            f"c = ctypes.CDLL({as_python(str(self._path))})\n"
            "c.ipasir_init.restype = ctypes.c_void_p\n"
            "solver = ctypes.c_void_p(c.ipasir_init())\n"
            "for clause in clauses:\n"
            "    for literal in [*clause, 0]:\n"
            "        c.ipasir_add(solver, literal)\n"
            "is_sat = c.ipasir_solve(solver) == 10\n"
            "used = sorted({abs(literal) for clause in clauses for literal in clause})\n"
            "model = [v if c.ipasir_val(solver, v) > 0 else -v for v in used] if is_sat else None\n"
            "c.ipasir_release(solver)\n"
            "return model, None"
        )
        return Snippet(("import ctypes",), body, reads=True) if self._path else None

    def how_to_install(self, version: str | None) -> str:  # noqa: ARG002
        return ""


def _is_file(path: Path) -> bool:
    with contextlib.suppress(OSError):
        return path.is_file()
    return False


def _read_signature(path: Path) -> bytes:
    signature: bytes | None = _library(path).ipasir_signature()
    return signature or b""


def _library(path: Path) -> ctypes.CDLL:
    """The library. Raises `UnavailableError` if it cannot be loaded or lacks a function."""
    if not _is_file(path):
        raise UnavailableError(f"no library '{path}'")
    try:
        with path.open("rb") as file:
            is_object = file.read(len(_ELF)) == _ELF
        if not is_object:
            raise UnavailableError(f"'{path}' is not a shared object: link it with -shared")
        library = ctypes.CDLL(str(path))
    except OSError as error:
        reason = (error.strerror or str(error)).removeprefix(f"{path}: ")
        raise UnavailableError(f"'{path}' cannot be loaded: {reason}") from error
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, f"ipasir_{name}")
        except AttributeError:
            raise UnavailableError(
                f"'{path}' has no ipasir_{name}: it is not an IPASIR library"
            ) from None
        function.restype, function.argtypes = result, arguments
    return library


class _Loaded(Solver):
    def __init__(self, library: ctypes.CDLL, cnf: CNF) -> None:
        self._c = library
        self._cnf = cnf
        self._assumed: list[int] = []
        self._solver: int | None = library.ipasir_init()
        if not self._solver:
            raise SolverError("ipasir_init returned no solver")
        self.loading = Loading.DIRECT if direct.is_built() else Loading.BINDING
        if self.loading is Loading.DIRECT:
            direct.add_literals(direct.address(library.ipasir_add), self._solver, cnf.blocks)
        else:
            self._add(cnf.chunks(1 << 12))

    def __del__(self) -> None:
        # Python calls this also if `__init__` raised before there was a solver.
        if getattr(self, "_solver", None):
            self._c.ipasir_release(self._solver)

    def _add(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            terminated = np.pad(block, ((0, 0), (0, 1)))
            literals = terminated.ravel().tolist()
            deque(map(self._c.ipasir_add, repeat(self._solver), literals), maxlen=0)

    def add(self, clause: Sequence[int]) -> None:
        self.add_all(np.array([list(clause)], dtype=np.int32).reshape(1, -1))

    def add_all(self, clauses: Block) -> None:
        self._is_used[np.abs(clauses)] = True
        self._add([clauses])

    def assume(self, literals: Sequence[int]) -> None:
        self._assumed = list(literals)
        self._is_used[np.abs(np.array(self._assumed, np.int32))] = True
        deque(map(self._c.ipasir_assume, repeat(self._solver), self._assumed), maxlen=0)

    def core(self) -> Sequence[int]:
        return [v for v in self._assumed if self._c.ipasir_failed(self._solver, v)]

    def solve(self) -> Answer:
        status = self._c.ipasir_solve(self._solver)
        if status not in _ANSWERS:
            raise SolverError(f"ipasir_solve returned {status}: expected 0, 10 or 20")
        return _ANSWERS[status]

    @cached_property
    def _is_used(self) -> Assignment:
        """Whether each variable, from 0 on, is in a clause. A library does not know the others: it
        may end the process if it is asked for their values.
        """
        is_used = np.zeros(self._cnf.num_variables + 1, dtype=np.bool_)
        for chunk in self._cnf.chunks():
            is_used[np.abs(chunk)] = True
        return is_used

    def model(self) -> Assignment:
        variables = np.flatnonzero(self._is_used)
        answers = map(self._c.ipasir_val, repeat(self._solver), variables.tolist())
        literals = np.fromiter(answers, dtype=np.int32, count=variables.size)
        strange = np.flatnonzero((literals != 0) & (np.abs(literals) != variables))
        if strange.size:
            v, got = variables[strange[0]], literals[strange[0]]
            raise SolverError(f"ipasir_val({v}) returned {got}: expected {v}, {-v} or 0")
        # 0 is either: read it as false, like variables that are in no clause.
        values = np.zeros(self._cnf.num_variables, dtype=np.bool_)
        values[variables - 1] = literals > 0
        return values
