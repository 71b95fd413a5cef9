"""Finds the column that tells apart rows which count as repeats, such as one with the configuration
of a solver, if it is not read.
"""

from typing import Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.statements import IDENTITY
from nqbench.common.printable import as_word, printable
from nqbench.common.units import counted

_LONGEST: Final = 80
_COUNTS: Final = (
    "repeat", "repetition", "rep", "run", "trial", "iteration", "attempt", "seed", "index",
)  # fmt: skip
"""Names of columns that count repeats, in lower case."""


def caution(unread: pl.DataFrame, by_field: dict[str, pl.Series]) -> str | None:
    """What a user should know about repeats, in a sentence; None if nothing tells them apart.

    A column does if all rows of one problem and solver differ in it. Numbers are left out, since
    they may be results, unless each problem and solver has the same ones, and so is what differs
    in each row, such as a file, and what counts repeats by its name.
    """
    if "backend" not in by_field or "repeat" in by_field:
        return None
    keys = [name for name in IDENTITY if name in by_field]
    table = pl.DataFrame([by_field[name].alias(name) for name in keys])
    is_repeat = table.is_duplicated()
    if not is_repeat.any():
        return None
    repeats = unread.filter(is_repeat)
    groups = table.filter(is_repeat).select(group=pl.struct(keys).rank("dense"))["group"]
    number = groups.n_unique()
    candidates = {
        name: values
        for name in repeats.columns
        if (column := repeats[name]).is_not_null().all()
        and name.strip().lower() not in _COUNTS
        and (cells.numbers_among(column).is_null().all() or _is_same_in_each(groups, column))
        and ((values := column.n_unique()) < len(column) or number == 1)
        and _differs_in_each(groups, column)
    }
    if not candidates:
        return None
    name = min(candidates, key=lambda name: candidates[name])
    shown = printable(name, _LONGEST)
    both = f"backend={printable(by_field['backend'].name, _LONGEST)} + {shown}"
    return (
        f"{counted(len(repeats), 'row')} of one problem and solver each differ in '{shown}', and "
        f"count as repeats: if it belongs to the name of the solver, write --map {as_word(both)}"
    )


def _differs_in_each(groups: pl.Series, column: pl.Series) -> bool:
    """Whether each group has several values."""
    values = pl.DataFrame({"group": groups, "value": column}).group_by("group")
    return bool((values.agg(pl.col("value").n_unique())["value"] > 1).all())


def _is_same_in_each(groups: pl.Series, column: pl.Series) -> bool:
    """Whether several groups have the same values, each as often."""
    values = pl.DataFrame({"group": groups, "value": column}).group_by("group")
    lists = values.agg(pl.col("value").sort())["value"]
    return len(lists) > 1 and lists.n_unique() == 1
