"""What was measured: a table of records, what summaries ask of it, and the columns they need.

A finding asks for the same costs as the table above it. Without this, a summary of a million
records takes three times as long.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Final, Self, TypeVar

import polars as pl

from nqbench.common import metrics
from nqbench.common.metrics import PAR
from nqbench.common.units import is_time
from nqbench.records import derived
from nqbench.records.columns import OF_RECORDS
from nqbench.records.record import COLUMNS, READ_BY
from nqbench.summary.evidence import costs_by_unit, with_unit
from nqbench.summary.observed import (
    BOARD,
    GROUP,
    NOT_CAPPED,
    PAIR,
    POSSIBLE,
    THERE,
    VALID,
    boards,
    different,
    fulfilling,
    on_common,
)
from nqbench.summary.searches import as_searches

NEEDED: Final = tuple(name for name in COLUMNS if READ_BY.get(name) == "summary")
"""What tables and findings need, whatever is summarised."""


_QUOTED: Final = re.compile(r"'[^']*'")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_OF_SQL: Final = {
    "and", "or", "not", "in", "is", "null", "like", "ilike", "between", "true", "false", "case",
    "when", "then", "else", "end",
}  # fmt: skip
"""Words in a condition that are no columns."""


def columns(metric: str, by: Iterable[str], where: str | None) -> Sequence[str] | None:
    """The columns to read for a summary by this metric, grouped by these columns, of the records
    that fulfil the condition; None for all, since one of them may be a measure.
    """
    identifiers = set(_WORD.findall(_QUOTED.sub("", where or "")))
    words = {*by, *(word for word in identifiers if word.lower() not in _OF_SQL)}
    sources = {source for word in words for source in derived.SOURCES.get(word, ())}
    selection = (words | sources) - set(derived.NAMES)
    if metric not in metrics.METRICS or not selection <= set(OF_RECORDS):
        return None
    if not is_time(metric):
        selection |= {metric, metrics.limit_of(metric) or metric}
    elif metric in OF_RECORDS:
        selection.add(metric)
    return [*NEEDED, *sorted(selection - set(NEEDED))]


_Result = TypeVar("_Result")


class Measured:
    """A table of records, and the tables that follow from it. Each is calculated when it is first
    asked for, and only once. Nothing changes the records, of which the steps of a search are one:
    see `as_searches`.
    """

    def __init__(self, records: pl.DataFrame) -> None:
        self.records = as_searches(records)
        self._results: dict[tuple[Callable[..., Any], tuple[Any, ...]], Any] = {}

    @classmethod
    def of(cls, records: "Records") -> "Measured":
        """These records, which may be such an object already."""
        return records if isinstance(records, Measured) else cls(records)

    def once(self, compute: Callable[..., _Result], *arguments: Any) -> _Result:
        """What this function returns for these records and arguments, from its only call."""
        key = compute, arguments
        if key not in self._results:
            self._results[key] = compute(self, *arguments)
        result: _Result = self._results[key]
        return result

    def where(self, condition: pl.Expr) -> Self:
        """The runs that fulfil the condition; the same object if all do."""
        records = fulfilling(self.records, condition)
        return self if records is self.records else type(self)(records)

    @cached_property
    def not_capped(self) -> Self:
        """The runs that no race stopped."""
        return self.where(NOT_CAPPED)

    @cached_property
    def valid(self) -> Self:
        """The runs that no race stopped, on valid files."""
        return self.where(NOT_CAPPED & VALID)

    @cached_property
    def possible(self) -> Self:
        """The runs whose solver was available and whose file was valid."""
        return self.where(POSSIBLE)

    @cached_property
    def on_common(self) -> Self:
        """The runs that can be compared, with their units: see the function `on_common`."""
        found = type(self)(with_unit(on_common(self.records)))
        if not self.has_repeats:
            found.has_repeats = False
        return found

    @cached_property
    def has_repeats(self) -> bool:
        """Whether a combination ran more than once on a board: most imported ones did not, and what
        is calculated over repeats can then be left out, which saves a fifth of the time.
        """
        return different(self.records, [*PAIR, *BOARD]) < len(self.records)

    def boards(
        self, time: str = "solve_s", keys: Sequence[str] = BOARD, par: int = PAR
    ) -> pl.DataFrame:
        """The cost of each board: see the function `boards`."""
        return self.once(_boards, time, tuple(keys), par)

    def common(self, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
        """The cost of each board on each machine where all combinations were measured on it."""
        return self.on_common.boards(time, THERE, par)

    def unit_costs(self, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
        """The cost of each problem that all combinations were measured on: see `costs_by_unit`."""
        return self.once(_unit_costs, time, par)

    def evidence(self, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
        """The same of each unit of evidence, which may be a group of problems."""
        if GROUP not in self.records.columns:
            return self.unit_costs(time, par)
        return self.once(_evidence, time, par)


def _boards(measured: Measured, time: str, keys: Sequence[str], par: int) -> pl.DataFrame:
    has_repeats = measured.has_repeats or not set(BOARD) <= set(keys)
    return boards(measured.records, time, keys, par, has_repeats=has_repeats)


def _unit_costs(measured: Measured, time: str, par: int) -> pl.DataFrame:
    return costs_by_unit(measured.common(time, par), par)


def _evidence(measured: Measured, time: str, par: int) -> pl.DataFrame:
    return costs_by_unit(measured.common(time, par), par, in_problems=False)


Records = pl.DataFrame | Measured
"""A table of records, or an object that has calculated something from it."""


def common(records: Records, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
    """The costs of the boards, on each machine where all combinations were measured on them."""
    return Measured.of(records).common(time, par)
