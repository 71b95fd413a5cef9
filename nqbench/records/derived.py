"""Columns that records can be chosen and grouped by, and that follow from those that they have."""

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

KNOWN: Final = "known_answer"
"""What a verified run of any combination answered to the problem, or an imported run if none was
verified, unless its source calls that answer wrong; `unstated` if one solved it, and none states
the answer. So a run that reached a limit stays among those of its problem.
"""

FORMULA_FAMILY: Final = "formula_family"
"""The name of a CNFgen formula, the folder of a file, or the family of anything else."""

_FOLDER: Final = r"^(.*)/"
_PROBLEM: Final = ("family", "instance", "n")


def _first_answer(which: pl.Expr) -> pl.Expr:
    return pl.col("answer").filter(which).drop_nulls().first().over(_PROBLEM)


def _imported(answers: Sequence[str]) -> pl.Expr:
    is_imported = pl.col("imported_from").is_not_null() & (pl.col("verdict") != "refuted")
    return _first_answer(is_imported & pl.col("answer").is_in(answers))


_DERIVED: Final = {
    KNOWN: pl.coalesce(
        _first_answer(pl.col("verdict") == "verified"),
        _imported(["sat", "unsat"]),
        _imported(["unstated"]),
    ),
    FORMULA_FAMILY: pl.when(family="cnfgen")
    .then(pl.col("instance").str.split(" ").list.first())
    .when(family="cnf")
    .then(pl.col("instance").str.extract(_FOLDER))
    .fill_null(pl.col("family")),
}

NAMES: Final = tuple(_DERIVED)


def with_derived(records: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """The records with those of these columns that can be derived."""
    derived = [_DERIVED[name].alias(name) for name in names if name in _DERIVED]
    return records.with_columns(derived) if derived else records
