"""Writes rows of literals as text, many at a time: the bytes of every literal are a table."""

from collections.abc import Iterable
from typing import BinaryIO, Final

import numpy as np

from nqbench.clauses.cnf import Block

_LITERALS: Final = 1 << 16
"""About so many literals are written at once, so that their text stays in the CPU cache."""


class SpelledLiterals:
    """The text of each literal of so many variables, with a space at its end.

    Without `names` a literal is spelled as in DIMACS. `names` are the text before the number of a
    variable, and of its negation.
    """

    def __init__(self, num_variables: int, names: tuple[str, str] = ("", "-")) -> None:
        # Padded with NUL; negative literals are indexed from the end.
        numbers = np.arange(1, num_variables + 1).astype("S10")
        spelled = [np.char.add(name.encode(), np.char.add(numbers, b" ")) for name in names]
        texts = np.concatenate([[b""], spelled[0], spelled[1][::-1]])
        self._width = texts.dtype.itemsize
        self._table = texts.view(np.uint8).reshape(-1, self._width)

    def write(
        self, blocks: Iterable[Block], file: BinaryIO, beginning: bytes = b"", ending: bytes = b""
    ) -> None:
        """Write a line for each row, with this text before and after its literals."""
        for block in blocks:
            size = max(1, _LITERALS // max(1, block.shape[1]))
            for start in range(0, len(block), size):
                self._write(block[start : start + size], file, beginning, ending)

    def _write(self, block: Block, file: BinaryIO, beginning: bytes, ending: bytes) -> None:
        rows, length = block.shape
        first = len(beginning)
        last = first + length * self._width
        text = np.empty((rows, last + len(ending)), dtype=np.uint8)
        text[:, :first] = np.frombuffer(beginning, np.uint8)
        text[:, last:] = np.frombuffer(ending, np.uint8)
        literals = self._table.take(block, axis=0, mode="wrap")
        text[:, first:last] = literals.reshape(rows, length * self._width)
        flat = text.reshape(-1)
        file.write(flat[flat != 0].data)
