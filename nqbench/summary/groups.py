"""Splits records into groups that are summarised separately, usually by family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.errors import InputError
from nqbench.printable import printable
from nqbench.spelling import suggestion
from nqbench.summary.observed import PROBLEM

BY_FAMILY: Final = ("family",)
"""Problems of different families have nothing in common that a mean over them could describe."""

KNOWN: Final = "known_answer"
"""A column that records can be grouped by, and do not have: what a verified run of any combination
answered to the problem. So a run that reached a limit stays among those of its problem.
"""

FORMULA_FAMILY: Final = "formula_family"
"""Another one: the name of a CNFgen formula, the folder of a file, or the family of anything else.
"""

_FOLDER: Final = r"^(.*)/"

_DERIVED: Final = {
    KNOWN: pl.col("answer")
    .filter(pl.col("verdict") == "verified")
    .drop_nulls()
    .first()
    .over(PROBLEM),
    FORMULA_FAMILY: pl.when(family="cnfgen")
    .then(pl.col("instance").str.split(" ").list.first())
    .when(family="cnf")
    .then(pl.col("instance").str.extract(_FOLDER))
    .fill_null(pl.col("family")),
}


@dataclass(frozen=True, slots=True)
class Group:
    """The records with these values, by the columns that they have in common."""

    values: Mapping[str, object]
    records: pl.DataFrame

    @property
    def name(self) -> str:
        """The values; all but that of the family with the name of the column."""
        return self._named("")

    @property
    def heading(self) -> str:
        """The name, with the word "family" where it is one."""
        return self._named("family ")

    def _named(self, before_family: str) -> str:
        return ", ".join(
            f"{before_family if column == 'family' else f'{column} = '}{_text(value)}"
            for column, value in self.values.items()
        )


def groups(records: pl.DataFrame, by: Sequence[str] = BY_FAMILY) -> list[Group]:
    """Return the records of each value of the columns `by`, in the order of the values; without
    columns or records, all as one group. Columns can be `KNOWN` and `FORMULA_FAMILY`, too. Raises
    `InputError` for an unknown column.
    """
    derived = {name: made for name, made in _DERIVED.items() if name in by}
    records = records.with_columns(**derived)
    for column in by:
        if column not in records.columns:
            raise InputError(
                f"records have no column '{column}': {suggestion(column, records.columns)}"
            )
        if records.schema[column].is_nested():
            raise InputError(f"column '{column}' has lists: group by another one")
    if not by or records.is_empty():
        return [Group({}, records)]
    parts = records.sort(by, maintain_order=True).partition_by(by, as_dict=True)
    return [Group(dict(zip(by, values, strict=True)), part) for values, part in parts.items()]


def grouped(
    records: pl.DataFrame, by: Sequence[str], summarise: Callable[[pl.DataFrame], pl.DataFrame]
) -> pl.DataFrame:
    """Return what `summarise` returns for each group, with the columns `by` in front, and before
    them the family, or all families of the group.
    """
    return pl.concat(_with_values(group, summarise(group.records)) for group in groups(records, by))


def _with_values(group: Group, table: pl.DataFrame) -> pl.DataFrame:
    families = group.records["family"].unique().sort().to_list()
    values = {"family": ", ".join(families), **group.values}
    types = group.records.schema
    added = [
        pl.lit(value, types[column]).alias(column)
        for column, value in values.items()
        if column not in table.columns
    ]
    return table.select(*added, pl.all())


def _text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else printable(str(value))
