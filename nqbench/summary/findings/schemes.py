"""Whether it pays to write formulas in another at-most-one scheme."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import factor, number_and_noun
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.records.derived import KNOWN
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import short
from nqbench.summary.groups import groups
from nqbench.summary.paired import LEVEL
from nqbench.summary.schemes import schemes

_KINDS: Final = {"sat": "satisfiable", "unsat": "unsatisfiable"}


def best_schemes(records: pl.DataFrame, time: str) -> Iterator[Fact]:
    """The best scheme and the formulas as they are, satisfiable and unsatisfiable ones apart, and
    the control.
    """
    if records["encoding"].n_unique() < 2:
        return
    for group in groups(records, [KNOWN]):
        kind = _KINDS.get(str(group.values.get(KNOWN)))
        table = schemes(group.records, time)
        rows = table.filter(~pl.col("encoding").str.starts_with(AS_IT_IS))
        if kind and len(rows):
            control = table.filter(pl.col("encoding").str.starts_with(AS_IT_IS)).rows(named=True)
            yield Fact(best_scheme, kind, rows.row(0, named=True), control[:1], time)


def best_scheme(
    known: str, best: Mapping[str, Any], control: Sequence[Mapping[str, Any]], metric: str
) -> str:
    """Compare the best scheme with the formulas as they are, and with the control, if any."""
    others = "".join(
        f"; the control {row['encoding']} multiplies the typical one by "
        f"{factor(row['typical_ratio'])}"
        for row in control
        if row["typical_ratio"] is not None
    )
    on = f"On {number_and_noun(best['formulas'], f'{known} formula')}"
    return f"{on}, {_describe_best(best, metric)}{others}."


def _describe_best(best: Mapping[str, Any], time: str) -> str:
    """What the scheme of least average cost does, typically and on average."""
    name, noun = short(best["encoding"]), metrics.noun(time)
    ratio = best["typical_ratio"]
    ends = interval(best["low"], best["high"])
    is_less, runs = best["faster"] > best["slower"], best["runs"]
    side, word = ("faster", "less") if is_less else ("slower", "more")
    count = f"{word} {on(best[side], runs)} runs"
    by = f" by {factor(ratio)}" if ratio else ""
    mean = f"the average by about {factor(best['mean_ratio'])}"
    if best["p"] < LEVEL:
        typically = f"the typical {noun} of {AS_IT_IS}{by}"
        return f"{name} multiplies {typically}{in_brackets(ends, count)}, {mean}"
    return (
        f"no difference was found between {name}, which is least on average, and {AS_IT_IS}: it "
        f"multiplies the typical {noun}{by}{in_brackets(ends, count)}, {mean}"
    )
