"""Reads the CSV of a job of StarExec, which has a row for each job pair.

A. Stump, G. Sutcliffe, C. Tinelli, "StarExec: a cross-community infrastructure for logic solving",
IJCAR 2014. SMT-COMP publishes its results like this. A file states no limits.
"""

from typing import Final

import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.base import Format, ResultFile
from nqbench.common.vocabulary import Answer, Outcome

_NEEDED: Final = (
    "benchmark", "solver", "configuration", "status", "cpu time", "wallclock time", "result",
)  # fmt: skip
_OPTIONAL: Final = ("memory usage", "expected")

_OUTCOMES: Final = {
    "complete": Outcome.FINISHED,
    "timeout": Outcome.TIMEOUT,
    "memout": Outcome.MEMOUT,
}
"""By the first word of a status, such as `timeout (wallclock)`; others are failures."""

_ANSWERS: Final = {"sat": Answer.SAT, "unsat": Answer.UNSAT}
"""Any other result, such as `starexec-unknown`, is no answer."""


class StarExec(Format):
    """The information about the pairs of a job."""

    meaning = "CSV of a job of StarExec, as SMT-COMP publishes them"
    reference = "https://www.starexec.org"
    suffixes = (".csv",)

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has the columns of job pairs."""
        return super().recognises(file) and {"pair id", *_NEEDED} <= file.columns

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each pair states. Raises `InputError` for a missing column."""
        table = file.table(_NEEDED, _OPTIONAL)
        solver, configuration = pl.col("solver"), pl.col("configuration").fill_null("default")
        default_name = pl.when(configuration == "default").then(solver)
        outcome = pl.col("status").str.to_lowercase().str.extract("^([a-z]+)").fill_null("")
        statements = table.with_columns(
            instance="benchmark",
            backend=default_name.otherwise(pl.format("{} {}", solver, configuration)),
            outcome=outcome.replace_strict(
                list(_OUTCOMES),
                list(map(str, _OUTCOMES.values())),
                default=str(Outcome.CRASHED),
                return_dtype=pl.String,
            ),
            answer=_answer("result").fill_null(str(Answer.UNKNOWN)),
            message=pl.when(outcome != "complete").then("status"),
            harness=pl.lit("StarExec"),
            **{
                name: cells.given(table[column])
                for name, column in (("wall_s", "wallclock time"), ("cpu_s", "cpu time"))
            },
        )
        return statements.with_columns(**_optional(table))


def _answer(column: str) -> pl.Expr:
    """The answers of a column, with null for what is none."""
    return (
        pl.col(column)
        .str.to_lowercase()
        .replace_strict(
            list(_ANSWERS), list(map(str, _ANSWERS.values())), default=None, return_dtype=pl.String
        )
    )


def _optional(table: pl.DataFrame) -> dict[str, pl.Series]:
    """The columns that not every file has."""
    columns = {}
    if "memory usage" in table.columns:
        kilobytes = cells.numbers(cells.given(table["memory usage"]), pl.Float64())
        columns["memory_kb"] = kilobytes
    if "expected" in table.columns:
        columns["expected"] = table.select(_answer("expected"))["expected"]
    return columns
