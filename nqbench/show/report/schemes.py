"""The table of at-most-one schemes, each compared with the formulas as they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from nqbench import summary
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.records.derived import FORMULA_FAMILY, KNOWN, with_derived
from nqbench.show.report.overview import number
from nqbench.show.report.runs import Unit
from nqbench.show.tables.columns import interval_text, shown
from nqbench.summary.formulas import left_alone


@dataclass(frozen=True, slots=True)
class SchemeTable:
    """Rows of texts: of all formulas, and of each family of formulas if there are several.
    Satisfiable and unsatisfiable formulas are in separate rows. `unchanged` are the names of the
    formulas without a constraint.
    """

    of_all: Sequence[Mapping[str, str]]
    of_each: Sequence[Mapping[str, str]]
    unchanged: Sequence[str]


def table(records: pl.DataFrame, unit: Unit) -> SchemeTable:
    """The table of the records of one family; without rows if they are in one scheme only."""
    families = with_derived(records, [FORMULA_FAMILY])[FORMULA_FAMILY].n_unique()
    return SchemeTable(
        _rows(records, [KNOWN], unit),
        _rows(records, [FORMULA_FAMILY, KNOWN], unit) if families > 1 else (),
        left_alone(records)[0],
    )


def _rows(records: pl.DataFrame, by: Sequence[str], unit: Unit) -> list[dict[str, str]]:
    return [
        {"of": str(group.values.get(FORMULA_FAMILY, "all")), **_texts(row, unit)}
        | {"answer": str(group.values.get(KNOWN) or "unknown")}
        for group in summary.groups(records, by)
        for row in summary.schemes(group.records).iter_rows(named=True)
    ]


def _texts(row: Mapping[str, Any], unit: Unit) -> dict[str, str]:
    more = row["more_encode_s"]
    sign = "\N{MINUS SIGN}" if more < 0 else ""
    return {
        "scheme": row["encoding"],
        "formulas": str(row["formulas"]),
        "changed": "" if row["encoding"].startswith(AS_IT_IS) else str(row["changed"]),
        "solved": f"{row['solved']}/{row['runs']}",
        "as_it_is": f"{row['solved_as_it_is']}/{row['runs']}",
        "typical_ratio": shown(row["typical_ratio"]),
        "interval": interval_text(row["low"], row["high"]),
        "p": shown(row["p"]),
        "mean_ratio": shown(row["mean_ratio"]),
        "mean_interval": interval_text(row["mean_low"], row["mean_high"]),
        "more": f"{sign}{number(abs(more), unit.size)}",
    }
