"""What it gains and costs to write formulas in other at-most-one schemes."""

import math
from typing import Any, Final

import polars as pl

from nqbench.common.vocabulary import AS_IT_IS
from nqbench.summary.evidence import LEAST_S, UNIT, collapsed
from nqbench.summary.formulas import changed
from nqbench.summary.intervals import hodges_lehmann, signed_rank_interval
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import PAIR, PROBLEM, THERE
from nqbench.summary.significance import SIGNIFICANT, holm, signed_rank

_SCHEMA: Final = {
    "encoding": pl.String,
    "formulas": pl.Int64,
    "changed": pl.Int64,
    "runs": pl.Int64,
    "solved": pl.Int64,
    "solved_as_it_is": pl.Int64,
    "ratio": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p": pl.Float64,
    "more_encode_s": pl.Float64,
}


def schemes(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare each at-most-one scheme with the formulas as they are, a row for each, on what both
    were measured on. The row of `file:shuffle=1` is the control: a ratio no farther from 1 than its
    own is luck.

    A formula's ratio is the geometric mean over the backends of its costs in the scheme, divided by
    those as it is; an unsolved run costs twice its limit. Formulas without a constraint are in it.

    Columns: encoding, formulas, changed (those that have a constraint to write), runs (formulas x
    backends), solved and solved_as_it_is (of these runs), ratio (the Hodges-Lehmann estimate over
    the formulas), low and high (its 95 % interval), p (two-sided Wilcoxon signed rank test,
    corrected by Holm for all rows), more_encode_s (the median over the formulas of the additional
    seconds to find and write the constraints). Sorted by ratio.
    """
    measured = Measured.of(records)
    if measured.records["encoding"].n_unique() < 2:
        return pl.DataFrame(schema=_SCHEMA)
    costs = _costs(measured, time)
    as_it_is = costs.filter(encoding=AS_IT_IS).drop("encoding")
    of_schemes = costs.filter(pl.col("encoding") != AS_IT_IS)
    # Up to another limit, an unsolved formula would cost something else.
    keys = ["backend", *THERE, "time_limit_s"]
    cost_pairs = of_schemes.join(as_it_is, on=keys, suffix="_before", nulls_equal=True)
    changed_formulas = changed(measured.records)
    tables = cost_pairs.partition_by("encoding", as_dict=True, maintain_order=True)
    rows = [_compare_scheme(str(name), part, changed_formulas) for (name,), part in tables.items()]
    table = pl.DataFrame(rows, schema=_SCHEMA)
    corrected = pl.Series(holm(table["p"].to_list()), dtype=pl.Float64)
    return table.with_columns(p=corrected).sort("ratio", "encoding")


def _costs(measured: Measured, time: str) -> pl.DataFrame:
    """The cost of each formula with each combination, and the seconds to encode it."""
    keys = [*PAIR, *THERE]
    encoded = measured.possible.records.group_by(keys).agg(pl.col("encode_s").median())
    return measured.boards(time, THERE).join(encoded, on=keys, nulls_equal=True)


def _compare_scheme(
    name: str, cost_pairs: pl.DataFrame, changed_formulas: pl.DataFrame
) -> dict[str, Any]:
    cost, before = (pl.col(c).clip(LEAST_S) for c in ("par2_s", "par2_s_before"))
    of_scheme = changed_formulas.filter(encoding=name, is_changed=True).select(PROBLEM).unique()
    table = cost_pairs.with_columns(
        log_ratio=(cost / before).log(), more_s=pl.col("encode_s") - pl.col("encode_s_before")
    ).join(
        of_scheme.with_columns(is_changed=pl.lit(value=True)),
        on=PROBLEM,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    means = ["log_ratio", "more_s", "solved", "solved_before", "is_changed"]
    runs = collapsed(table, ["backend"], means)
    formulas = runs.group_by(UNIT, maintain_order=True).agg(
        pl.col("log_ratio", "more_s").mean(), (pl.col("is_changed") > 0).any()
    )
    ratios = formulas["log_ratio"].to_numpy()
    ends = signed_rank_interval(ratios, SIGNIFICANT)
    low, high = (None if end is None else math.exp(end) for end in ends)
    return {
        "encoding": name,
        "formulas": len(formulas),
        "changed": int(formulas["is_changed"].sum()),
        "runs": len(runs),
        "solved": int((runs["solved"] > 0.5).sum()),
        "solved_as_it_is": int((runs["solved_before"] > 0.5).sum()),
        "ratio": math.exp(hodges_lehmann(ratios)),
        "low": low,
        "high": high,
        "p": signed_rank(ratios),
        "more_encode_s": formulas["more_s"].median(),
    }
