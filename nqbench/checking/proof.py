"""Checks proofs of unsatisfiability.

DRAT: N. Wetzler, M. Heule, W. Hunt, "DRAT-trim: efficient checking and trimming using expressive
clausal proofs", SAT 2014. LRAT, with hints: L. Cruz-Filipe, M. Heule, W. Hunt, M. Kaufmann,
P. Schneider-Kamp, "Efficient certified RAT verification", CADE 2017.

The compiled module `_elaborate` searches for the hints that a DRAT proof lacks, and writes LRAT.
Only the verdict of the core counts, the compiled module `_core`. It replays LRAT in a process where
nothing else has read the proof. A short proof is also replayed by `replay`.

Without the compiled modules, dratify checks proofs: see `by_dratify`.
"""

import contextlib
import importlib
import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from io import UnsupportedOperation
from types import ModuleType
from typing import BinaryIO, Final

import msgspec
import numpy as np

from nqbench.checking import by_dratify, replay
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome, ProofForm
from nqbench.isolate import Isolation

SHORT: Final = 1 << 15
"""Bytes; an LRAT proof of at most this size is replayed twice."""

MOST_BYTES: Final = 4 * 2**30
"""The default limit for the size of a proof with hints."""


class NotCheckedError(NqbenchError):
    """It is not known whether the proof is right: a limit was reached, for instance."""


def flaw(
    cnf: CNF,
    proof: BinaryIO,
    form: ProofForm = ProofForm.DRAT,
    *,
    caller: Isolation | None = None,
    limits: Limits | None = None,
    most_bytes: int = MOST_BYTES,
) -> str | None:
    """Return why a proof does not prove that the formula has no model, in words; None if it does.

    The proof is read from the position of the file, in separate processes under the limits. Raises
    `NotCheckedError` if one of these does not end well: at a limit, for instance, or with a proof
    that is longer than `most_bytes` with its hints.
    """
    if any(len(block) and not block.shape[1] for block in cnf.blocks):
        return None  # with an empty clause there is nothing to prove
    reader = _Reader(caller or Isolation(), limits or Limits())
    with _as_file(proof) as file, tempfile.TemporaryFile() as hinted:
        if not is_built():
            checked = reader.call("checking a proof", lambda: _by_dratify(cnf, file, form), file)
            return checked.flaw
        hints = Reading(None, cnf.num_variables)
        if form is ProofForm.DRAT:

            def elaborate() -> Reading:
                bound_files(most_bytes)
                return write_lrat(cnf, file, hinted)

            with _explain_if_full(hinted, most_bytes):
                hints = reader.call("searching for hints", elaborate, file, hinted)
            if hints.flaw is not None:
                return hints.flaw
            os.lseek(hinted.fileno(), 0, os.SEEK_SET)
        lrat = hinted if form is ProofForm.DRAT else file
        return reader.call(
            "checking a proof", lambda: replay_lrat(cnf, lrat, hints.variables), lrat
        ).flaw


def is_built() -> bool:
    """Whether the compiled modules are installed."""
    return compiled("_core") is not None and compiled("_elaborate") is not None


def write_lrat(cnf: CNF, source: BinaryIO, target: BinaryIO) -> "Reading":
    """Write the DRAT proof in `source` as LRAT to `target`, in this process. See `_elaborate`."""
    elaborate = compiled("_elaborate")
    assert elaborate is not None
    blocks = list(map(np.ascontiguousarray, cnf.blocks))
    try:
        largest = elaborate.elaborate(blocks, cnf.num_variables, source.fileno(), target.fileno())
    except ValueError as error:
        return Reading(str(error))
    return Reading(None, largest)


def replay_lrat(cnf: CNF, file: BinaryIO, variables: int) -> "Reading":
    """Replay the LRAT proof in the file in this process, a short one twice.

    `variables`: the largest variable in formula and proof. Raises `NqbenchError` if two checkers
    disagree.
    """
    core = compiled("_core")
    assert core is not None
    blocks = list(map(np.ascontiguousarray, cnf.blocks))
    short = _short(file)
    core_flaw = core.flaw(blocks, variables, file.fileno())
    if short is not None:
        replay_flaw = replay.flaw(cnf.clauses(), variables, short)
        if (core_flaw is None) != (replay_flaw is None):
            raise NqbenchError(f"two checkers disagree: '{core_flaw}', and '{replay_flaw}'")
    return Reading(core_flaw)


def _by_dratify(cnf: CNF, file: BinaryIO, form: ProofForm) -> "Reading":
    return Reading(by_dratify.flaw(cnf, file.read(by_dratify.LONGEST + 1), form))


class Reading(msgspec.Struct, frozen=True):
    """What is wrong with a proof, None if nothing; and the largest variable in it."""

    flaw: str | None
    variables: int = 0


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a proof in separate processes."""

    caller: Isolation
    limits: Limits

    def call(self, doing: str, read: Callable[[], Reading], *files: BinaryIO) -> Reading:
        descriptors = [file.fileno() for file in files]
        encoded = self.caller.call(
            doing, lambda: msgspec.msgpack.encode(read()), self.limits, descriptors
        )
        if encoded.outcome is not Outcome.FINISHED:
            raise NotCheckedError(encoded.message)
        return msgspec.msgpack.decode(encoded.payload, type=Reading)


@cache
def compiled(name: str) -> ModuleType | None:
    """The compiled module of this folder with this name; None if it is not installed."""
    try:
        return importlib.import_module(f"nqbench.checking.{name}")
    except ImportError:
        return None


def _short(file: BinaryIO) -> bytes | None:
    """The rest of a file, if it is short and can be read twice."""
    try:
        at = os.lseek(file.fileno(), 0, os.SEEK_CUR)
    except OSError:
        return None
    content = os.pread(file.fileno(), SHORT + 1, at)
    return content if len(content) <= SHORT else None


@contextlib.contextmanager
def _as_file(proof: BinaryIO) -> Iterator[BinaryIO]:
    """The same bytes, from the position of `proof`, as a file with a descriptor."""
    try:
        descriptor = proof.fileno()
    except UnsupportedOperation:
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(proof, file)
            file.seek(0)
            yield file
        return
    if proof.seekable():
        os.lseek(descriptor, proof.tell(), os.SEEK_SET)  # a buffer may be ahead
    yield proof


@contextlib.contextmanager
def _explain_if_full(file: BinaryIO, most_bytes: int) -> Iterator[None]:
    """Give the reason why a file could not be written, if that is why a process ended."""
    try:
        yield
    except NotCheckedError as error:
        if os.fstat(file.fileno()).st_size >= most_bytes:
            raise NotCheckedError(f"longer than {most_bytes / 2**20:.4g} MiB with hints") from error
        if os.fstatvfs(file.fileno()).f_bavail == 0:
            raise NotCheckedError(f"no space left in {tempfile.gettempdir()}") from error
        raise


def bound_files(most_bytes: int) -> None:
    """Limit the size of the files that this process writes; it is killed at the limit."""
    # Python ignores the signal by default, and a proof that is cut off would look wrong.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
