"""The clauses and rows of a formula as formats have them, and the text of their literals."""

from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

import numpy as np

from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.comment_lines import Annotations
from nqbench.clauses.constraints import Formula
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError

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


def write_clauses(
    word: str, formula: Formula, file: BinaryIO, annotations: Annotations
) -> tuple[SpelledLiterals, list[Rows]]:
    """Write the clauses below a header with this word, and return what is to be written below
    them: rows with one bound each (see `without_corner_cases`), and what writes literals.

    Raises `InputError` if there are weights, which formats with one bound for each row do not have.
    """
    if not isinstance(formula, CNF) and formula.weighted:
        raise InputError("rows with weights need OPB: write FILE.opb")
    cnf, two_sided = without_corner_cases(formula)
    rows = [each for row in two_sided for each in _bounds(row)]
    count = cnf.num_clauses + sum(each.count for each in rows)
    spelled = SpelledLiterals(cnf.num_variables)
    file.writelines(line + b"\n" for line in annotations.before)
    file.write(f"p {word} {cnf.num_variables} {count}\n".encode())
    file.writelines(line + b"\n" for line in annotations.after)
    spelled.write(cnf.chunks(), file, ending=b"0\n")
    return spelled, rows


def without_corner_cases(formula: Formula) -> tuple[CNF, list[Rows]]:
    """The clauses, and the rows that some but not all values satisfy. Empty clauses stand in place
    of rows that never hold.
    """
    if isinstance(formula, CNF):
        return formula, []
    cnf, rows = formula.cnf, []
    for each in formula.counted:
        if each.least > each.length or each.most < 0 or each.least > each.most:
            cnf = cnf.with_clauses(np.zeros((each.count, 0), np.int32))
        elif not each.is_free:
            rows.append(each)
    return cnf, rows


def _bounds(rows: Rows) -> Iterator[Rows]:
    if rows.least > 0:
        yield Rows.at_least(rows.literals, rows.least)
    if rows.most < rows.length:
        yield Rows.at_most(rows.literals, rows.most)
