"""The order in which people read records: the columns they look for first, and sorted rows."""

from typing import Final

import polars as pl

from nqbench.records.derived import SOURCES, TOTAL, TOTAL_TIME
from nqbench.records.notebook_table import NotebookTable

SORTED_BY: Final = ("family", "n", "instance", "encoding", "backend", "repeat", "started_at")
"""The columns by which exports and tables in notebooks are sorted."""

_FIRST: Final = (
    "family", "n", "encoding", "backend", "instance", "repeat", "answer", "encode_s",
    "load_s", "solve_s", TOTAL, "conflicts", "peak_rss_bytes", "variables", "clauses", "message",
)  # fmt: skip

# Printed as text, a wide table shows its first and last four columns. Every run has values here,
# except those that were not started, which have no `wall_s`.
_LAST: Final = ("task", "outcome", "verdict", "wall_s")


def ordered(records: pl.DataFrame) -> pl.DataFrame:
    """The records with the columns of `_FIRST` first and those of `_LAST` last, and the runs of
    each problem and combination together, whatever the order in which they were measured. A table
    may lack columns. One with the phases of runs gets the column of their total time, too.
    """
    if set(SOURCES[TOTAL]) <= set(records.columns):
        records = records.with_columns(TOTAL_TIME.alias(TOTAL))
    first = [name for name in _FIRST if name in records.columns]
    by = [name for name in SORTED_BY if name in records.columns]
    rows = records.sort(by, maintain_order=True) if by else records
    last = [name for name in _LAST if name in records.columns]
    return NotebookTable(rows.select(*first, pl.exclude(*first, *last), *last))
