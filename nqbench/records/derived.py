"""Derived columns, to select and group records by."""

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from nqbench.records.notebook_table import NotebookTable

KNOWN: Final = "known_answer"
"""What a verified run of any combination answered to the problem, or an imported run if none was
verified, unless its source calls that answer wrong; `unstated` if one solved it, and none states
the answer. So a run that reached a limit stays among those of its problem.
"""

FORMULA_FAMILY: Final = "formula_family"
"""The name of a CNFgen formula, the folder of a file, or the family of anything else."""

CLAIM: Final = "claim"
"""What a solver said at the end of a search for the best value: `optimal` or `infeasible`, be that
shown or not; null of a run that was stopped, and of other tasks.
"""

K_SHARE: Final = "k_share"
"""k/n of the longest row of a problem with rows, in classes."""

ROW_LENGTHS: Final = "row_lengths"
"""The length n of the longest row of a problem with rows, in classes."""

TOTAL: Final = "total_s"
"""The time to encode, load, solve and decode."""

# Nothing is decoded for `unsat`.
TOTAL_TIME: Final = (
    pl.col("encode_s") + pl.col("load_s") + pl.col("solve_s") + pl.col("decode_s").fill_null(0.0)
)
"""That time of a run; null without its phases."""

_SHARE_ENDS: Final = (0.05, 0.15, 0.3)
SHARES: Final = ("0 to 0.05", "0.05 to 0.15", "0.15 to 0.3", "0.3 to 0.5")
"""The classes of k/n. A share on a border is in the lower one."""

_LENGTH_ENDS: Final = (16, 64, 256)
LENGTHS: Final = ("1 to 16", "17 to 64", "65 to 256", "over 256")
"""The classes of n."""

_FOLDER: Final = r"^(.*)/"
_PROBLEM: Final = ("family", "instance", "n")


def _first_answer(which: pl.Expr) -> pl.Expr:
    return pl.col("answer").filter(which).drop_nulls().first().over(_PROBLEM)


def _imported(answers: Sequence[str]) -> pl.Expr:
    is_imported = pl.col("imported_from").is_not_null() & (pl.col("verdict") != "refuted")
    return _first_answer(is_imported & pl.col("answer").is_in(answers))


def _of_problem(column: str) -> pl.Expr:
    """What a run of any combination says: one that could not be encoded has no size."""
    return pl.col(column).max().over(_PROBLEM)


def _class(value: pl.Expr, ends: Sequence[float], names: Sequence[str]) -> pl.Expr:
    """The name of the first class whose end the value does not exceed, or of the last one, which
    has no end.
    """
    above = pl.sum_horizontal(*((value > end).cast(pl.Int8) for end in ends))
    named = above.replace_strict(range(len(names)), names, return_dtype=pl.String)
    return pl.when(value.is_not_null()).then(named)


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
    CLAIM: pl.when(task="best", outcome="finished").then(
        pl.col("answer").replace_strict({"sat": "optimal", "unsat": "infeasible"}, default=None)
    ),
    K_SHARE: _class(_of_problem("row_k") / _of_problem("row_length"), _SHARE_ENDS, SHARES),
    ROW_LENGTHS: _class(_of_problem("row_length"), _LENGTH_ENDS, LENGTHS),
    TOTAL: TOTAL_TIME,
}

NAMES: Final = tuple(_DERIVED)

SOURCES: Final = {
    K_SHARE: ("row_k", "row_length"),
    ROW_LENGTHS: ("row_length",),
    TOTAL: ("encode_s", "load_s", "solve_s", "decode_s"),
}
"""The columns that these need, and that a summary may not read."""


_FROM_ALL: Final = {name: f"{name} from all" for name in (KNOWN, K_SHARE, ROW_LENGTHS)}
"""The columns that also follow from runs of other combinations, and where they are remembered."""


def with_derived(records: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """The records with those of these columns that can be derived."""
    derived = [
        (pl.col(_FROM_ALL[name]) if _FROM_ALL.get(name) in records.columns else _DERIVED[name])
        .alias(name)
        for name in names
        if name in _DERIVED
    ]  # fmt: skip
    return records.with_columns(derived) if derived else records


def remember(records: pl.DataFrame, names: Iterable[str] = _FROM_ALL) -> pl.DataFrame:
    """The records with hidden columns from which `with_derived` takes these columns after some
    records are chosen. What a problem is does not depend on which combinations are looked at.
    """
    return records.with_columns(
        _DERIVED[name].alias(_FROM_ALL[name]) for name in names if name in _FROM_ALL
    )


def forget(records: pl.DataFrame) -> pl.DataFrame:
    """The records without hidden columns."""
    return NotebookTable(records.drop(_FROM_ALL.values(), strict=False))
