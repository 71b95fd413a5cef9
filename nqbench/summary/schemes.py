"""What it gains and costs to write formulas in other at-most-one schemes."""

from typing import Any, Final

import numpy as np
import polars as pl

from nqbench.common.vocabulary import AS_IT_IS
from nqbench.summary.evidence import LEAST_S, UNIT, collapsed, with_unit
from nqbench.summary.exchanges import Block, exchange
from nqbench.summary.formulas import changed
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import PAIR, PROBLEM, THERE
from nqbench.summary.signed_ranks import holm, typically

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
    "typical_p": pl.Float64,
    "mean_ratio": pl.Float64,
    "p": pl.Float64,
    "more_encode_s": pl.Float64,
}


def schemes(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare each at-most-one scheme with the formulas as they are, a row for each, on what both
    were measured on. The row of `file:shuffle=1` is the control: a ratio no farther from 1 than its
    own is luck.

    A formula's cost is the mean over the backends, and its ratio the geometric mean over them of
    the costs in the scheme, divided by those as it is; an unsolved run costs twice its limit.
    Formulas without a constraint are in it.

    Columns: encoding, formulas, changed (those that have a constraint to write), runs (formulas x
    backends), solved and solved_as_it_is (of these runs); of the typical formula ratio (the
    Hodges-Lehmann estimate over the formulas), low and high (its 95 % interval) and typical_p
    (two-sided Wilcoxon signed rank test, corrected by Holm for all rows); on average mean_ratio (of
    the mean costs) and p (of the test of `exchanges`, for all rows together); more_encode_s (the
    median over the formulas of the additional seconds to find and write the constraints). Sorted by
    mean_ratio.
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
    if cost_pairs.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    changed_formulas = changed(measured.records)
    tables = with_unit(cost_pairs).partition_by("encoding", as_dict=True, maintain_order=True)
    formulas = [_by_formula(str(name), part, changed_formulas) for (name,), part in tables.items()]
    rows = [
        _compare_scheme(str(name), runs, table)
        for (name,), (runs, table) in zip(tables, formulas, strict=True)
    ]
    exchanged = exchange([_block(table) for _, table in formulas])
    return (
        pl.DataFrame(rows, schema={name: _SCHEMA[name] for name in rows[0]})
        .with_columns(
            p=exchanged.joint_p,
            typical_p=pl.Series(holm([row["typical_p"] for row in rows]), dtype=pl.Float64),
        )
        .select(*_SCHEMA)
        .sort("mean_ratio", "encoding")
    )


def _block(table: pl.DataFrame) -> Block:
    """The costs of each formula in a scheme and as it is."""
    costs = table.select("par2_s", "par2_s_before").to_numpy()
    return Block(costs, table[UNIT].to_numpy().astype(np.intp), np.array([[0, 1]]))


def _costs(measured: Measured, time: str) -> pl.DataFrame:
    """The cost of each formula with each combination, and the seconds to encode it."""
    keys = [*PAIR, *THERE]
    encoded = measured.possible.records.group_by(keys).agg(pl.col("encode_s").median())
    return measured.boards(time, THERE).join(encoded, on=keys, nulls_equal=True)


def _by_formula(
    name: str, cost_pairs: pl.DataFrame, changed_formulas: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """What each formula costs in a scheme and as it is with each backend, and a unit with all."""
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
    means = ["par2_s", "par2_s_before", "log_ratio", "more_s"]
    every = [*means, "solved", "solved_before", "is_changed"]
    runs = collapsed(table, ["backend"], every, in_problems=True)
    units = collapsed(table, ["backend"], every).group_by(UNIT).agg(pl.col(means).mean())
    return runs, units.sort(UNIT)


def _compare_scheme(name: str, runs: pl.DataFrame, units: pl.DataFrame) -> dict[str, Any]:
    formulas = runs.group_by(UNIT).agg(pl.col("more_s").mean(), (pl.col("is_changed") > 0).any())
    typical = typically(units["log_ratio"].to_numpy())
    means = units.select(pl.col("par2_s", "par2_s_before").mean().clip(LEAST_S)).row(0)
    return {
        "encoding": name,
        "formulas": len(formulas),
        "changed": int(formulas["is_changed"].sum()),
        "runs": len(runs),
        "solved": int((runs["solved"] > 0.5).sum()),
        "solved_as_it_is": int((runs["solved_before"] > 0.5).sum()),
        "ratio": typical.ratio,
        "low": typical.low,
        "high": typical.high,
        "typical_p": typical.p,
        "mean_ratio": means[0] / means[1],
        "more_encode_s": formulas["more_s"].median(),
    }
