"""Has a backend prove an answer, and the proof checked.

The backend solves the formula once more with proof logging, which would slow down a measured run.
It writes the proof in a separate process, and other processes check it, where no code of the
backend has run.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO, Final

from nqbench.checking import by_dratify, proof
from nqbench.checking.cutting_planes import NoProofError
from nqbench.checking.file_rows import FileRows
from nqbench.checking.normal_rows import NormalRows, normal_rows
from nqbench.checking.row_proofs import proved_bound
from nqbench.checking.verify import ProofCheck, ProofState
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.clauses.constraints import Formula, as_clauses
from nqbench.common.errors import TooManyClausesError, UnavailableError
from nqbench.common.limits import Limits, ProofLimits
from nqbench.common.vocabulary import Outcome, ProofForm
from nqbench.isolate import Isolation
from nqbench.problems.instances import instance_size

if TYPE_CHECKING:
    from nqbench.checking.solver import Untrusted

TIME_IS_OVER: Final = "the time for proofs is used up"
"""Why something is not proved after all the time for an answer was taken by other attempts."""

_LONGEST_HEADER: Final = 64
_SAMPLE: Final = 1 << 20
"""Bytes of a proof that show whether it is text."""

_TIMES: Final = 4
"""The time limits of a proof, in multiples of a run's: to find it again takes longer than once."""

_LEAST_S: Final = 0.01
"""The least time that a step of a proof has."""


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """The formula that an instance was made from. `derivation` yields the first part of a DRAT
    proof, which derives the instance; it is not trusted. `owner` is the encoding that yields it.
    """

    cnf: CNF
    owner: str
    derivation: Callable[[bool], Iterator[bytes]]
    """With True in the binary format, otherwise in text."""


@dataclass(frozen=True, slots=True, eq=False)
class FileOriginal:
    """The rows of a file that an instance was made from, as the judge reads them. `why_not_implied`
    returns why it is not shown that each choice of the file's variables that the rows allow extends
    to a model of the instance, in words; empty if it is shown. `broken_elsewhere` returns what such
    a choice breaks as the reader of encoders reads the file, None if nothing: nobody is wrong
    because the two readers differ.
    """

    rows: FileRows
    why_not_implied: Callable[[CNF], str]
    broken_elsewhere: Callable[[Assignment], str | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class TotalTime:
    """So many seconds of wall time, from now on."""

    time_s: float
    began: float = field(default_factory=time.monotonic)

    @property
    def left_s(self) -> float:
        """The seconds that are left."""
        return self.began + self.time_s - time.monotonic()

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left."""
        return self.left_s < _LEAST_S


class Prover:
    """Has backends write proofs, and checks them."""

    def __init__(self, caller: Isolation, most: ProofLimits) -> None:
        self._caller, self._most = caller, most
        self._of_thread = threading.local()

    @contextlib.contextmanager
    def in_total(self, limits: Limits) -> Iterator[TotalTime]:
        """In the block, all that proves for this thread may take together what each may otherwise:
        see `proof_limits`. A block in another one changes nothing.
        """
        before = self._total
        if before is None:
            self._of_thread.total = TotalTime(self.proof_limits(limits).time_s)
        try:
            yield self._of_thread.total
        finally:
            self._of_thread.total = before

    @property
    def _total(self) -> TotalTime | None:
        total: TotalTime | None = getattr(self._of_thread, "total", None)
        return total

    @property
    def is_over(self) -> bool:
        """Whether the time of the block is used up."""
        return self._total is not None and self._total.is_over

    def proof(
        self, backend: Untrusted, formula: Formula, limits: Limits, original: Original | None = None
    ) -> ProofCheck:
        """Check a proof by this backend that the formula has no model; of the `original`, if it was
        made from one, with the derivation of the formula. A proof about at-most-k constraints is
        checked on the clauses that they stand for.
        """
        if not backend.capabilities.proof:
            return ProofCheck()
        if self.is_over:
            return _not_checked(TIME_IS_OVER)
        of_run = limits
        limits, most = self.proof_limits(of_run), self._most.size_bytes
        try:
            cnf = original.cnf if original else as_clauses(formula)
        except TooManyClausesError as error:
            return _not_checked(str(error))
        with tempfile.TemporaryFile() as file:

            def prove() -> bytes:
                proof.bound_files(max(most, _longest_file(formula)))
                form = _write_proof(backend, formula, file, hinted=original is None)
                file.flush()
                return form.encode()

            proved = self._call_to_write(f"proving by {backend.name}", prove, file, limits)
            if isinstance(proved, ProofCheck):
                return proved
            file.seek(0)
            try:
                form = ProofForm(proved.decode())
                limits = self.proof_limits(of_run)
                if original:
                    self._put_before(file, original, limits, most)
                flaw = proof.flaw(
                    cnf, file, form, caller=self._caller, limits=limits, most_bytes=most
                )
            except (proof.NotCheckedError, ValueError) as error:
                return _not_checked(str(error))
        if flaw is None:
            return ProofCheck(ProofState.CHECKED)
        return _wrong_proof(flaw, backend, derived=original is not None)

    def proof_about_rows(
        self,
        backend: Untrusted,
        rows: FileRows,
        worst: int | None,
        limits: Limits,
        share: float = 1.0,
        *,
        stating: Callable[[FileRows], NormalRows] = normal_rows,
    ) -> ProofCheck:
        """Check a proof by this backend that no model of the rows has an objective of `worst` or
        better; without a `worst`, that there is no model. To find it, and to check it, may each
        take a share of what it may otherwise. `stating` returns the rows that it is about.
        """
        if not backend.capabilities.row_proofs:
            return ProofCheck()
        if self.is_over:
            return _not_checked(TIME_IS_OVER)
        # Without an objective none is asked for, and each bound on its empty sum would exclude -1.
        worst = None if rows.costs is None else worst
        of_run = limits
        limits, most = self.proof_limits(limits, share), self._most.size_bytes
        with tempfile.TemporaryFile() as file:

            def prove() -> bytes:
                opb = b"".join(stating(rows).opb())
                proof.bound_files(max(most, 2 * len(opb)))
                backend.prove_about_rows(opb, file)
                file.flush()
                return b""

            def check() -> bytes:
                stated = stating(rows)
                with os.fdopen(os.dup(file.fileno()), "rb") as lines:
                    try:
                        bound = proved_bound(stated, lines)
                    except NoProofError as error:
                        return str(error).encode()
                if stated.excludes(bound, worst):
                    return b""
                return f"it shows only that none is below {bound}".encode()

            proved = self._call_to_write(f"proving by {backend.name}", prove, file, limits)
            if isinstance(proved, ProofCheck):
                return proved
            limits = self.proof_limits(of_run, share)
            checked = self._caller.call("checking a proof", check, limits, [file.fileno()])
        if checked.outcome is not Outcome.FINISHED:
            return _not_checked(checked.message)
        flaw = checked.payload.decode(errors="replace")
        return _not_checked(flaw) if flaw else ProofCheck(ProofState.CHECKED)

    def _call_to_write(
        self, doing: str, write: Callable[[], bytes], file: BinaryIO, limits: Limits
    ) -> bytes | ProofCheck:
        """What a process returns that writes a proof to the file; or why it is not checked."""
        most = self._most.size_bytes
        ending = self._caller.call(doing, write, limits, [file.fileno()])
        # Before the outcome, which does not say that the file is too long or the disk full.
        if os.fstat(file.fileno()).st_size >= most:
            return _not_checked(f"longer than {most / 2**20:.4g} MiB")
        if os.fstatvfs(file.fileno()).f_bavail == 0:
            return _not_checked(f"no space left in {tempfile.gettempdir()}")
        if ending.outcome is not Outcome.FINISHED:
            return _not_checked(ending.message)
        return ending.payload

    def _put_before(self, file: BinaryIO, original: Original, limits: Limits, most: int) -> None:
        """Put the derivation before the proof in a file. Raises `NotCheckedError`."""
        with tempfile.TemporaryFile() as combined:
            # A checker reads one file, so both parts have the format of the proof.
            binary = by_dratify.is_binary(os.pread(file.fileno(), _SAMPLE, 0))

            def derive() -> bytes:
                proof.bound_files(most)
                combined.writelines(original.derivation(binary))
                combined.flush()
                return b""

            keep = [combined.fileno()]
            ending = self._caller.call("deriving a formula", derive, limits, keep)
            if ending.outcome is not Outcome.FINISHED:
                raise proof.NotCheckedError(ending.message)
            combined.seek(0, os.SEEK_END)
            shutil.copyfileobj(file, combined)
            file.seek(0)
            file.truncate()
            combined.seek(0)
            shutil.copyfileobj(combined, file)
        file.flush()
        file.seek(0)

    def proof_limits(self, limits: Limits, share: float = 1.0) -> Limits:
        """The limits of a proof, from those of a run, or a share of them."""
        cpu_s = None if limits.cpu_s is None else share * _TIMES * limits.cpu_s
        time_s = share * (self._most.time_s or _TIMES * limits.time_s)
        if self._total is not None:
            time_s = max(_LEAST_S, round(min(time_s, self._total.left_s), 2))
        return replace(limits, time_s=time_s, cpu_s=cpu_s)


def _write_proof(
    backend: Untrusted, formula: Formula, file: BinaryIO, *, hinted: bool
) -> ProofForm:
    """Have the backend write a proof, if it may be `hinted` with hints that can be checked here."""
    # Whoever reads the hints has to know the clauses by their order in the formula.
    if hinted and backend.capabilities.lrat and proof.is_built() and isinstance(formula, CNF):
        with contextlib.suppress(UnavailableError):
            backend.prove_with_hints(formula, file)
            return ProofForm.LRAT
    backend.prove(formula, file)
    return ProofForm.DRAT


def _wrong_proof(flaw: str, backend: Untrusted, *, derived: bool) -> ProofCheck:
    """What a wrong proof shows: that the answer is wrong, unless something else may be."""
    if derived:
        return _not_checked(f"with its derivation from the original, {flaw}")
    if not backend.is_bound_by_proof:
        return _not_checked(f"it is wrong: {flaw}")
    return ProofCheck(ProofState.FLAWED, flaw)


def _not_checked(why: str) -> ProofCheck:
    return ProofCheck(ProofState.NOT_CHECKED, f"proof not checked: {why}")


def _longest_file(formula: Formula) -> int:
    """A bound for the size of the formula in bytes, since some programs read it from a file."""
    literal = len(f"-{formula.num_variables} ")
    counts = instance_size(formula)
    lines = (counts.clauses or 0) + (counts.constraints or 0)
    return (
        (counts.literals or 0) * literal
        + lines * len(f"<= {formula.num_variables}\n")
        + _LONGEST_HEADER
    )
