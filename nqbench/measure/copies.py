"""Asks an encoding for the copies of templates that state the rows of a file, in a separate
process, and finds these rows. Nothing relies on what is found: see `checking.stamping`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from nqbench.checking.file_rows import FileRows
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.row_clauses import grouped
from nqbench.checking.stamping import Stamping
from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.stamp import Copies
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.problems.base import Problem

_Array = tuple[tuple[int, ...], bytes]
_Packed = tuple[bytes, int, int, _Array, _Array, _Array]
_LITERALS: Final = np.int32
_ROWS: Final = np.int64


def stampings(
    encoding: Encoding, problem: Problem, file: FileRows, caller: Isolation, limits: Limits
) -> list[Stamping]:
    """The copies that the encoding says it made for the problem, which is in this file. Raises
    `NotCheckedError` if it cannot say.
    """

    def packed() -> bytes:
        matched = match_rows(file, encoding.copies(problem))
        return msgspec.msgpack.encode(list(map(_pack, matched)))

    ending = caller.call("reading the copies of templates", packed, limits)
    if ending.outcome is not Outcome.FINISHED:
        raise NotCheckedError(f"the copies of templates are not known: {ending.message}")
    try:
        every = msgspec.msgpack.decode(ending.payload, type=list[_Packed])
        return list(map(_unpack, every))
    except (msgspec.MsgspecError, ValueError) as error:
        raise NotCheckedError(f"the copies of templates are not known: {error}") from error


def _pack(stamping: Stamping) -> _Packed:
    return (
        b"".join(stamping.template.pack()),
        stamping.least,
        stamping.most,
        _pack_array(stamping.rows.astype(_ROWS)),
        _pack_array(stamping.literals.astype(_LITERALS)),
        _pack_array(stamping.auxiliaries.astype(_LITERALS)),
    )


def _pack_array(array: NDArray[np.int64] | NDArray[np.int32]) -> _Array:
    return array.shape, array.tobytes()


def _unpack(packed: _Packed) -> Stamping:
    template, least, most, rows, literals, auxiliaries = packed
    return Stamping(
        CNF.unpack(memoryview(template)),
        least,
        most,
        np.frombuffer(rows[1], _ROWS).reshape(rows[0]),
        np.frombuffer(literals[1], _LITERALS).reshape(literals[0]),
        np.frombuffer(auxiliaries[1], _LITERALS).reshape(auxiliaries[0]),
    )


def match_rows(file: FileRows, copies: Iterable[Copies]) -> list[Stamping]:
    """The copies with the numbers of their rows, in the order of the file where several rows are
    alike; -1 for a copy of no row.

    Raises `InputError` if weights of a row differ.
    """
    # By upper bound and literals: at least k of n is at most n - k of the negations.
    waiting: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for group in grouped(file)[::-1]:
        n, rows = group.length, group.rows[::-1].tolist()
        stated = [(group.most, group.literals)] if group.most < n else []
        stated += [(n - group.least, -group.literals)] if group.least > 0 else []
        for most, literals in stated:
            for row, key in zip(rows, _keys(literals[::-1]), strict=True):
                waiting[most, key].append(row)

    def row_of(most: int, key: bytes) -> int:
        rows = waiting.get((most, key), [-1])
        return rows.pop() if len(rows) > 1 else rows[0]

    return [
        Stamping(
            each.template,
            0,
            each.most,
            np.array([row_of(each.most, key) for key in _keys(each.literals)], np.int64),
            each.literals,
            each.auxiliaries,
        )
        for each in copies
    ]


def _keys(literals: Block) -> Iterator[bytes]:
    """Bytes for the literals of each row, whatever their order."""
    return (row.tobytes() for row in np.sort(literals.astype(np.int32, copy=False), axis=1))
