"""Whether it pays to write formulas in another at-most-one scheme."""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from nqbench.common import metrics
from nqbench.common.units import factor
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.records.derived import KNOWN
from nqbench.summary.exchanges import SIGNIFICANT
from nqbench.summary.findings.wording import number_and_noun, short
from nqbench.summary.groups import groups
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
    name, noun = short(best["encoding"]), metrics.noun(time)
    ratio = factor(best["mean_ratio"])
    typical = _typically(best)
    if best["mean_ratio"] < 1 and best["p"] < SIGNIFICANT:
        return f"{name} multiplies the average {noun} as they are by {ratio}{typical}"
    return (
        f"no scheme significantly lowers the average {noun}; {name} multiplies it by "
        f"{ratio}{typical}"
    )


def _typically(best: dict[str, Any]) -> str:
    """What the typical formula says, if that is something else than the average."""
    verdicts = [
        "" if p >= SIGNIFICANT else "less" if ratio < 1 else "more"
        for p, ratio in ((best["p"], best["mean_ratio"]), (best["typical_p"], best["ratio"]))
    ]
    if verdicts[0] == verdicts[1] or not verdicts[1]:
        return ""
    between = "" if best["low"] is None else f", {factor(best['low'])} to {factor(best['high'])}"
    return f" (that of the typical formula by {factor(best['ratio'])}{between})"


def _control(table: pl.DataFrame) -> str:
    control = table.filter(pl.col("encoding").str.starts_with(AS_IT_IS))
    if control.is_empty():
        return ""
    return f", and the same clauses in another order by {factor(control['mean_ratio'][0])}"
