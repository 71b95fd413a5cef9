"""Whether it pays to write formulas in another at-most-one scheme."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import factor, number_and_noun
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.records.derived import KNOWN
from nqbench.summary.findings.phrases import in_brackets, interval, on
from nqbench.summary.findings.wording import short
from nqbench.summary.groups import groups
from nqbench.summary.paired import LEVEL
from nqbench.summary.schemes import schemes

_KINDS: Final = {"sat": "satisfiable formula", "unsat": "unsatisfiable formula"}


def best_schemes(records: pl.DataFrame, time: str) -> Iterator[str]:
    """Compare the best scheme with the formulas as they are, satisfiable and unsatisfiable ones
    apart, and with the control.
    """
    if records["encoding"].n_unique() < 2:
        return
    for group in groups(records, [KNOWN]):
        kind = _KINDS.get(str(group.values.get(KNOWN)))
        table = schemes(group.records, time)
        rows = table.filter(~pl.col("encoding").str.starts_with(AS_IT_IS))
        if kind and len(rows):
            best = rows.row(0, named=True)
            on = f"On {number_and_noun(best['formulas'], kind)}, "
            yield f"{on}{_describe_best(best, time)}{_control(table)}."


def _describe_best(best: dict[str, Any], time: str) -> str:
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


def _control(table: pl.DataFrame) -> str:
    control = table.filter(pl.col("encoding").str.starts_with(AS_IT_IS))
    ratio = None if control.is_empty() else control["typical_ratio"][0]
    if ratio is None:
        return ""
    return f"; the control {control['encoding'][0]} multiplies the typical one by {factor(ratio)}"
