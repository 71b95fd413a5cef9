"""Checks proofs about rows, with the compiled core where that is installed and numbers fit.

Only what `cutting_planes` says of the rules counts as sound. The core, `core/planes.c`, follows the
same rules with numbers below 2^120, and is faster. A short proof about few rows is checked by both.
Longer numbers are Python's.
"""

import os
from typing import BinaryIO, Final

import numpy as np

from nqbench.checking import cutting_planes, proof
from nqbench.checking.cutting_planes import NoProofError
from nqbench.checking.normal_rows import NormalRows
from nqbench.common.errors import NqbenchError

_LARGEST_SUM: Final = 2**61

_FEW: Final = 1 << 12
"""Literals in all rows of a file; of these, Python reads each one again for each `rup`."""


def proved_bound(rows: NormalRows, file: BinaryIO) -> int | None:
    """The bound that a proof in a file shows: see `cutting_planes.proved_bound`. Raises
    `NoProofError`, and `NqbenchError` if two checkers disagree.
    """
    try:
        shown = _by_core(rows, file)
    except OverflowError:
        return _by_python(rows, file)
    has_few = sum(len(row.weights) for row in rows.rows) <= _FEW
    if has_few and os.fstat(file.fileno()).st_size <= proof.SHORT:
        try:
            again: int | str | None = _by_python(rows, file)
        except NoProofError as error:
            again = str(error)
        is_accepted = not isinstance(shown, str)
        if is_accepted == isinstance(again, str) or (is_accepted and shown != again):
            raise NqbenchError(f"two checkers disagree: '{shown}', and '{again}'")
        shown = again
    if isinstance(shown, str):
        raise NoProofError(shown)
    return shown


def _by_python(rows: NormalRows, file: BinaryIO) -> int | None:
    file.seek(0)
    return cutting_planes.proved_bound(rows, file)


def _by_core(rows: NormalRows, file: BinaryIO) -> int | str | None:
    """What the core returns: a bound, None, or what is wrong. Raises `OverflowError` if numbers are
    too large for it, or if it is not installed.
    """
    core = proof.compiled("_core")
    if core is None:
        raise OverflowError("the core is not installed")
    stated = [[*((w, x) for x, w in row.weights.items())] for row in rows.rows]
    stated.append(list(rows.objective))
    degrees = [*(row.degree for row in rows.rows), 0]
    if any(
        sum(abs(weight) for weight, _ in terms) + abs(degree) > _LARGEST_SUM
        for terms, degree in zip(stated, degrees, strict=True)
    ):
        raise OverflowError("numbers of more than 61 bits")
    file.seek(0)
    os.lseek(file.fileno(), 0, os.SEEK_SET)
    found: int | str | None = core.bound(
        rows.num_variables,
        np.cumsum([len(terms) for terms in stated], dtype=np.int64),
        np.array([literal for terms in stated for _, literal in terms], np.int32),
        np.array([weight for terms in stated for weight, _ in terms], np.int64),
        np.array(degrees, np.int64),
        file.fileno(),
    )
    return found
