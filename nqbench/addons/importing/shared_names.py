"""Notes which texts a pattern of `--match` gives the same name to."""

from typing import Final

import polars as pl

from nqbench.common.printable import printable
from nqbench.common.units import counted

_LONGEST: Final = 80


class SharedNames:
    """The names of problems that patterns found, in all files that are imported together."""

    def __init__(self) -> None:
        self._texts: dict[tuple[object, ...], dict[str, None]] = {}
        self._stated: set[tuple[object, ...]] = set()

    def add(self, column: pl.Series, fields: dict[str, pl.Series]) -> None:
        """Note the texts of a column, and the fields that a pattern found in them."""
        if "instance" not in fields:
            return
        table = pl.DataFrame([column.alias(""), *fields.values()])
        for text, *values in table.unique(maintain_order=True).iter_rows():
            if text is not None:
                self._texts.setdefault((column.name, *values), {})[text] = None

    def caution(self) -> str | None:
        """Which texts have the same name, in a sentence; None if no further ones have."""
        new = [
            name
            for name, texts in self._texts.items()
            if len(texts) > 1 and name not in self._stated
        ]
        self._stated |= set(new)
        if not new:
            return None
        first, second, *_ = self._texts[new[0]]
        and_others = f", and so in {counted(len(new) - 1, 'other name')}" if len(new) > 1 else ""
        return (
            f"'{printable(first, _LONGEST)}' and '{printable(second, _LONGEST)}' are one problem "
            f"after --match{and_others}: if they are not, keep the part in which they differ"
        )
