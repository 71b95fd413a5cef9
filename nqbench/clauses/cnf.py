"""Clauses as blocks of int32, one block per clause width.

A Python list for each clause costs about 150 bytes and work for the garbage collector; a block
costs four bytes per literal. Clauses become lists only if a solver needs them.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nqbench.common import array_bytes

Block = NDArray[np.int32]
"""Literals in DIMACS numbering, without 0; shape (clauses, width)."""

Assignment = NDArray[np.bool_]
"""Element v - 1 is the value of variable v; shape (num_variables,)."""

_MAGIC: Final = 0x6E71_636E_6631
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)
"""The step of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014)."""

_PIECES: Final = 64
"""The number of pieces that the clauses of one width are cut into before they are mixed."""

_MOST_COLUMNS: Final = 10_000
"""Longer clauses are hashed one by one. A step for each column takes microseconds."""

_LARGEST_VARIABLE: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class CNF:
    """A formula in conjunctive normal form.

    Variables 1..num_main are its main variables, the others auxiliary: two models that agree on the
    main variables give the same solution. The clauses keep the order in which they were added.
    """

    num_variables: int
    num_main: int
    blocks: tuple[Block, ...]

    def __repr__(self) -> str:
        return f"<CNF of {self.num_variables} variables and {self.num_clauses} clauses>"

    @property
    def num_clauses(self) -> int:
        """The number of clauses in all blocks."""
        return sum(block.shape[0] for block in self.blocks)

    @property
    def num_literals(self) -> int:
        """The number of literals in all clauses, counted with repeats."""
        return sum(block.size for block in self.blocks)

    def with_clauses(self, block: Block) -> "CNF":
        """The same formula with these clauses at its end."""
        return CNF(self.num_variables, self.num_main, (*self.blocks, block))

    def by_width(self) -> "CNF":
        """The same clauses sorted by width, one block for each width. What is asked of each block
        then costs the same in whatever order the clauses are.
        """
        by_width = sorted(self.blocks, key=lambda block: block.shape[1])
        return CNF(self.num_variables, self.num_main, _merge(by_width))

    def chunks(self, literals: int = 1 << 16) -> Iterator[Block]:
        """Yield the blocks in order, cut into pieces of at most about `literals` literals.

        Such pieces stay in the CPU cache, and as lists they reuse the same memory.
        """
        for block in self.blocks:
            rows = max(1, literals // max(1, block.shape[1]))
            for start in range(0, block.shape[0], rows):
                yield block[start : start + rows]

    def clauses(self) -> Iterator[list[int]]:
        """Yield every clause as a list of Python ints, converted chunk by chunk."""
        for chunk in self.chunks(1 << 12):
            yield from chunk.tolist()

    def flat(self) -> NDArray[np.int32]:
        """All clauses in one int32 buffer, each terminated by 0.

        Shape (num_literals + num_clauses,).
        """
        buffer = np.zeros(self.num_literals + self.num_clauses, dtype=np.int32)
        start = 0
        for block in self.blocks:
            rows, width = block.shape
            stop = start + rows * (width + 1)
            buffer[start:stop].reshape(rows, width + 1)[:, :width] = block
            start = stop
        return buffer

    def falsified(self, values: Assignment) -> tuple[int, ...] | None:
        """The first clause that the assignment makes false; None if it is a model.

        Raises `ValueError` unless `values` has shape (num_variables,).
        """
        if values.shape != (self.num_variables,):
            raise ValueError(
                f"got values of shape {values.shape}, expected ({self.num_variables},)"
            )
        # Indexed by literal: positive from the start, negative from the end.
        truth = np.concatenate([[False], values, ~values[::-1]])
        for chunk in self.chunks():
            true = truth[chunk].any(axis=1)
            if not true.all():
                clause: list[int] = chunk[int(np.argmin(true))].tolist()
                return tuple(clause)
        return None

    def broken_by(self, model: Assignment) -> str | None:
        """The first clause that the model makes false, in words; None if nothing."""
        clause = self.falsified(model)
        if clause is None:
            return None
        return f"the model falsifies the clause {' '.join(map(str, clause)) or '(empty)'}"

    def check(self) -> None:
        """Raise `ValueError` if a block is not two-dimensional int32, if a literal is 0 or has no
        variable, or if there are fewer variables than main variables.
        """
        if not 0 <= self.num_main <= self.num_variables <= _LARGEST_VARIABLE:
            raise ValueError(f"{self.num_main} main variables, but {self.num_variables} variables")
        for block in self.blocks:
            if block.dtype != np.int32 or block.ndim != 2:
                raise ValueError(
                    f"a block of {block.dtype}, shape {block.shape}: expected int32, two dimensions"
                )
            if block.size and (
                not block.all() or max(block.max(), -block.min()) > self.num_variables
            ):
                raise ValueError(f"a literal is 0 or beyond the {self.num_variables} variables")

    def digest(self) -> str:
        """A hash of the formula, 32 hexadecimal digits: equal for equal clauses in equal order."""
        return array_bytes.digest(self.pack())

    def clauses_digest(self) -> str:
        """A hash of the clauses, 16 hexadecimal digits: equal for equal clauses in any order, and
        of their literals as well. Clauses that occur twice count twice.
        """
        total = np.uint64(self.num_variables)
        with np.errstate(over="ignore"):
            for block in self.blocks:
                rows = np.sort(block, axis=1)
                if block.shape[1] > _MOST_COLUMNS:
                    digests = (array_bytes.digest([memoryview(row)]) for row in rows)
                    value = np.array([int(digest[:16], 16) for digest in digests], np.uint64)
                else:
                    value = np.full(len(block), 1 + block.shape[1], np.uint64)
                    for column in rows.T:
                        value = _mixed(value * _ODD + column.astype(np.uint64))
                total += value.sum(dtype=np.uint64)
        return f"{int(total):016x}"

    def pack(self) -> Iterator[memoryview]:
        """The formula as bytes, piece by piece, for `CNF.unpack`."""
        return array_bytes.pieces(self._header(), *self.blocks)

    @staticmethod
    def is_packed(buffer: memoryview) -> bool:
        """Whether bytes begin like those of `pack`."""
        return bool(len(buffer) >= 8 and np.frombuffer(buffer, np.int64, 1)[0] == _MAGIC)

    @classmethod
    def unpack(cls, buffer: memoryview) -> "CNF":
        """A view of packed bytes as a formula, without a copy. Raises `ValueError` if the bytes are
        not a formula; literals are not checked, see `check`.
        """
        magic, num_variables, num_main, count = np.frombuffer(buffer, np.int64, 4).tolist()
        sound = 0 <= num_main <= num_variables <= _LARGEST_VARIABLE and 0 <= count <= len(buffer)
        if magic != _MAGIC or not sound:
            raise ValueError("these bytes are not a packed CNF")
        shapes = np.frombuffer(buffer, np.int64, 2 * count, offset=32).reshape(count, 2)
        blocks = []
        offset = 32 + shapes.nbytes
        for rows, width in shapes.tolist():
            if not (rows >= 0 and width >= 0 and rows * width <= len(buffer)):
                raise ValueError(
                    f"a block of {rows} clauses of width {width} in {len(buffer)} bytes"
                )
            block = np.frombuffer(buffer, np.int32, rows * width, offset).reshape(rows, width)
            blocks.append(block)
            offset += block.nbytes
        return cls(num_variables, num_main, tuple(blocks))

    def _header(self) -> NDArray[np.int64]:
        shapes = [size for block in self.blocks for size in block.shape]
        facts = [_MAGIC, self.num_variables, self.num_main, len(self.blocks)]
        return np.array(facts + shapes, dtype=np.int64)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers whose bits all depend on each other: the last step of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def no_clauses() -> Block:
    """An empty block."""
    return np.zeros((0, 1), np.int32)


def as_blocks(clauses: Iterable[Sequence[int]]) -> tuple[Block, ...]:
    """Clauses of any widths, none of them empty, as one block for each width, in the order of the
    first clause of each.
    """
    by_width: defaultdict[int, list[Sequence[int]]] = defaultdict(list)
    for clause in clauses:
        by_width[len(clause)].append(clause)
    return tuple(np.array(some, np.int32) for some in by_width.values())


def reordered(cnf: CNF, random: np.random.Generator) -> CNF:
    """The same clauses in a random order, and the literals of each as well. Clauses of one width
    are cut into pieces, which are mixed with those of other widths.
    """
    pieces: list[Block] = []
    for block in cnf.blocks:
        mixed = random.permuted(block[random.permutation(len(block))], axis=1)
        pieces += np.array_split(mixed, min(_PIECES, len(mixed)))
    order = random.permutation(len(pieces))
    blocks = tuple(np.ascontiguousarray(pieces[position]) for position in order)
    return CNF(cnf.num_variables, cnf.num_main, blocks)


class CNFBuilder:
    """Collects blocks of clauses and hands out fresh variables.

    Variables 1..num_main are the main variables; `fresh` numbers the auxiliary ones after them.
    """

    def __init__(self, num_main: int) -> None:
        self.num_main = num_main
        self.num_variables = num_main
        self._blocks: list[Block] = []

    def fresh(self, count: int) -> int:
        """Allocate `count` consecutive variables and return the first."""
        first = self.num_variables + 1
        self.num_variables += count
        return first

    def fresh_array(self, count: int) -> NDArray[np.int32]:
        """Allocate `count` variables and return them all, shape (count,)."""
        first = self.fresh(count)
        return np.arange(first, first + count, dtype=np.int32)

    def add(self, clauses: ArrayLike) -> None:
        """Add clauses of one width: shape (clauses, width), converted to int32.

        Raises `ValueError` for another shape, or if the literals are not whole numbers.
        """
        array = np.asarray(clauses)
        if array.ndim != 2:
            raise ValueError(f"add takes clauses of shape (clauses, width), not {array.shape}")
        if array.size and array.dtype.kind not in "iu":
            raise ValueError(f"add takes whole numbers as literals, not {array.dtype}")
        block = array.astype(np.int32, copy=False)
        if block.shape[0]:
            self._blocks.append(block)

    def add_each(self, *literals: Block) -> None:
        """Add a clause for each position of the arrays, which all have shape (clauses,).

        Raises `ValueError` if their shapes differ.

        >>> cnf = CNFBuilder(num_main=4)
        >>> cnf.add_each(np.array([-1, -2]), np.array([3, 4]))
        >>> list(cnf.build().clauses())
        [[-1, 3], [-2, 4]]
        """
        if len({array.shape for array in literals}) != 1:
            shapes = ", ".join(str(array.shape) for array in literals)
            raise ValueError(f"add_each takes arrays of one shape (clauses,), not {shapes}")
        self.add(np.array(literals).T)

    def add_without_zeros(self, clauses: Block) -> None:
        """Add clauses of several widths, shape (clauses, largest width), padded with 0.

        An empty clause is written as two contradicting unit clauses, since solvers treat empty
        clauses differently.
        """
        widths = np.count_nonzero(clauses, axis=1)
        for width in range(clauses.shape[1], 0, -1):
            rows = clauses[widths == width]
            self.add(rows[rows != 0].reshape(len(rows), width))
        if not widths.all():
            self._contradict()

    def require(self, items: Block) -> None:
        """Add the clause that at least one of each row is true, shape (items, k); k may be 0."""
        if items.shape[1]:
            self.add(items)
        elif len(items):
            self._contradict()

    def _contradict(self) -> None:
        impossible = self.fresh(1)
        self.add([[impossible], [-impossible]])

    def build(self) -> CNF:
        """Return the formula; adjacent blocks of one width become one."""
        return CNF(self.num_variables, self.num_main, _merge(self._blocks))

    def build_by_width(self) -> CNF:
        """Return the formula with its clauses sorted by width, one block for each width."""
        return self.build().by_width()


def _merge(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Join adjacent blocks of one width, so that equal clause sequences have equal blocks."""
    by_width = itertools.groupby(blocks, key=lambda block: block.shape[1])
    groups = (list(neighbours) for _, neighbours in by_width)
    return tuple(np.concatenate(group) if len(group) > 1 else group[0] for group in groups)
