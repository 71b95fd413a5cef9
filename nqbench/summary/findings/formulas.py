"""Which encodings make formulas that are alike."""

from collections.abc import Iterator
from typing import Final

import polars as pl

from nqbench.summary.findings.wording import LONGEST, listed, short
from nqbench.summary.formulas import Alike, alike
from nqbench.summary.over_instances import noun

_MOST: Final = 4


def formulas(records: pl.DataFrame) -> Iterator[str]:
    """Name the encodings whose formulas have the same sizes on every problem, and those that have n
    clauses fewer.
    """
    what = noun(records)
    for group in alike(records):
        if len(group.encodings) > 1:
            yield _said(group, what)


def _said(group: Alike, what: str) -> str:
    names = listed(list(map(short, group.encodings)), _MOST)
    alike = "are the same" if group.same else "have equally many variables, clauses and literals"
    text = f"The formulas of {names} {alike} on every {what}"
    less = f"; those of {listed(list(map(short, group.less)), _MOST)} have n clauses fewer"
    rest = less if group.less else ""
    return f"{text}{rest}." if len(text + rest) < LONGEST else f"{text}."
