"""The columns of records that a summary reads. A store and an export have three times as many, and
of a million records it takes long to read them all.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from nqbench.common import metrics
from nqbench.common.units import is_time
from nqbench.records import derived
from nqbench.records.columns import OF_RECORDS
from nqbench.records.record import COLUMNS, READ_BY

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
