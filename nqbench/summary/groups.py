"""Splits records into groups that are summarised separately, usually by family."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from nqbench.common.errors import InputError
from nqbench.common.printable import printable
from nqbench.common.spelling import suggestion
from nqbench.records.derived import FORMULA_FAMILY, with_derived
from nqbench.summary.measured import Measured, Records

BY_FAMILY: Final = ("family",)
"""Problems of different families have nothing in common that a mean over them could describe."""


@dataclass(frozen=True, slots=True)
class Group:
    """The records with these values, by the columns that they have in common."""

    values: Mapping[str, object]
    measured: Measured

    @property
    def records(self) -> pl.DataFrame:
        """The records as a table."""
        return self.measured.records

    @property
    def name(self) -> str:
        """The values; all but that of the family with the name of the column."""
        return self._join_values("")

    @property
    def heading(self) -> str:
        """The name, with the word "family" where it is one."""
        return self._join_values("family ")

    def _join_values(self, before_family: str) -> str:
        return ", ".join(
            f"{before_family if column == 'family' else f'{column} = '}{_text(value)}"
            for column, value in self.values.items()
        )


def groups(records: Records, by: Sequence[str] = BY_FAMILY) -> list[Group]:
    """Return the records of each value of the columns `by`, in the order of the values; without
    columns or records, all as one group. Columns can be those of `records.derived`, too. Raises
    `InputError` for an unknown column.
    """
    original = Measured.of(records)
    records = with_derived(original.records, by)
    measured = original if records is original.records else Measured(records)
    for column in by:
        if column not in records.columns:
            raise InputError(
                f"records have no column '{column}': {suggestion(column, records.columns)}"
            )
        if records.schema[column].is_nested():
            raise InputError(f"column '{column}' has lists: group by another one")
    if FORMULA_FAMILY in by:
        _check_folders(records)
    if not by or records.is_empty():
        return [Group({}, measured)]
    if all(records[column].n_unique() == 1 for column in by):
        return [Group(records.select(by).row(0, named=True), measured)]
    tables = records.sort(by, maintain_order=True).partition_by(by, as_dict=True)
    return [
        Group(dict(zip(by, values, strict=True)), Measured(part)) for values, part in tables.items()
    ]


def _check_folders(records: pl.DataFrame) -> None:
    """Raise `InputError` if all records are of formulas whose names have no folder."""
    names = records.filter(family="cnf", formula_family="cnf").select("instance")
    if names.n_unique() > 1 and set(records[FORMULA_FAMILY]) == {"cnf"}:
        raise InputError(
            f"the names of all {names.n_unique()} formulas lack a folder, so '{FORMULA_FAMILY}' is "
            "the same for all: measure them from one folder that has the others in it; or group by "
            "another column"
        )


def summarise_groups(
    records: Records, by: Sequence[str], summarise: Callable[[Measured], pl.DataFrame]
) -> pl.DataFrame:
    """Return what `summarise` returns for each group, with the columns `by` in front, and before
    them the family, or all families of the group. A column that not every group has is null in the
    others.
    """
    tables = [_with_values(group, summarise(group.measured)) for group in groups(records, by)]
    return pl.concat(tables, how="diagonal")


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
