"""What it gains and costs to write formulas in other at-most-one schemes."""

import math
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common.metrics import PAR, SCORE
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.summary.comparisons import (
    OF_MEAN,
    OF_SIDES,
    OF_TYPICAL,
    mean_columns,
    typical_columns,
)
from nqbench.summary.evidence import LEAST_S, UNIT, collapsed, unit_groups, with_unit
from nqbench.summary.formulas import changed
from nqbench.summary.intervals import mean_ratio
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import GROUP, PAIR, PROBLEM, THERE
from nqbench.summary.paired import Pair, decide, log_ratios, typical_ratios

_SCHEMA: Final = {
    "encoding": pl.String,
    "formulas": pl.Int64,
    "changed": pl.Int64,
    "runs": pl.Int64,
    "solved": pl.Int64,
    "solved_as_it_is": pl.Int64,
    **OF_TYPICAL,
    **OF_SIDES,
    "only_in_it": pl.Int64,
    "only_as_it_is": pl.Int64,
    "p_solved": pl.Float64,
    **OF_MEAN,
    "more_encode_s": pl.Float64,
}


def schemes(records: Records, time: str = "solve_s") -> pl.DataFrame:
    """Compare each at-most-one scheme with the formulas as they are, a row for each, on what both
    were measured on. The row of `file:shuffle=1` is the control: a ratio no farther from 1 than its
    own is luck.

    A formula is the unit of evidence, with its runs by all backends. Formulas without a constraint
    are in it. The tests are those of `comparisons`, of each scheme with the formulas as they are,
    for all rows together.

    Columns: encoding, formulas, changed (those that have a constraint to write), runs (formulas x
    backends), solved and solved_as_it_is (of these runs); typical_ratio, low, high and p; faster,
    slower and equal (of these runs); only_in_it and only_as_it_is (runs that are solved only so),
    and p_solved; mean_ratio, mean_low, mean_high, rests_on and mean_without, as in `comparisons`;
    more_encode_s (the median over the formulas of the additional seconds to find and write the
    constraints). Sorted by mean_ratio.
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
    runs = {str(name): _runs(str(name), part, changed_formulas) for (name,), part in tables.items()}
    units = np.unique(np.concatenate([part["place"].to_numpy() for part in runs.values()]))
    pairs = [_pair(part, units) for part in runs.values()]
    found = decide(pairs, len(units))
    ratios = zip(*typical_ratios(pairs, len(units), found.critical), strict=True)
    decisions = pl.DataFrame(
        {
            "p": found.p,
            "faster": found.faster,
            "slower": found.slower,
            "equal": found.equal,
            "only_in_it": found.only_first,
            "only_as_it_is": found.only_second,
            "p_solved": found.p_solved,
        }
    )
    rows = [
        _describe(name, part) | typical_columns(*ratio) | _on_average(part)
        for (name, part), ratio in zip(runs.items(), ratios, strict=True)
    ]
    kinds = {name: kind for name, kind in _SCHEMA.items() if name in rows[0]}
    return (
        pl.DataFrame(rows, schema=kinds)
        .hstack(decisions)
        .select(pl.col(name).cast(kind) for name, kind in _SCHEMA.items())
        .sort("mean_ratio", "encoding")
    )


def _pair(runs: pl.DataFrame, units: NDArray[np.intp]) -> Pair:
    """The differences of the runs in a scheme from those as it is."""
    logs = (runs[name].to_numpy() for name in ("log_s", "log_s_before"))
    solved = (runs[name].to_numpy() > 0.5 for name in ("solved", "solved_before"))
    return Pair(log_ratios(*logs, *solved), np.searchsorted(units, runs["place"].to_numpy()))


def _on_average(runs: pl.DataFrame) -> dict[str, float | int | None]:
    first, second = runs.select(pl.col(SCORE, f"{SCORE}_before").clip(LEAST_S)).to_numpy().T
    limit = runs["time_limit_s"].mean()
    most = PAR * limit if isinstance(limit, float) else math.inf
    places = np.unique(runs["place"].to_numpy(), return_inverse=True)[1]
    return mean_columns(mean_ratio(first, second, places, most))


def _costs(measured: Measured, time: str) -> pl.DataFrame:
    """The cost of each formula with each combination, and the seconds to encode it."""
    keys = [*PAIR, *THERE]
    encoded = measured.possible.records.group_by(keys).agg(pl.col("encode_s").median())
    return measured.boards(time, THERE).join(encoded, on=keys, nulls_equal=True)


def _runs(name: str, cost_pairs: pl.DataFrame, changed_formulas: pl.DataFrame) -> pl.DataFrame:
    """What each formula costs with each backend in a scheme and as it is; `place` is the number of
    its unit of evidence.
    """
    of_scheme = changed_formulas.filter(encoding=name, is_changed=True).select(PROBLEM).unique()
    table = cost_pairs.with_columns(
        pl.col(SCORE).clip(LEAST_S).log().alias("log_s"),
        pl.col(f"{SCORE}_before").clip(LEAST_S).log().alias("log_s_before"),
        more_s=pl.col("encode_s") - pl.col("encode_s_before"),
    ).join(
        of_scheme.with_columns(is_changed=pl.lit(value=True)),
        on=PROBLEM,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    numbers = [SCORE, f"{SCORE}_before", "log_s", "log_s_before", "more_s", "time_limit_s"]
    every = [*numbers, "solved", "solved_before", "is_changed"]
    runs = collapsed(table, ["backend"], every, in_problems=True)
    groups = unit_groups(table)
    if groups is None:
        return runs.with_columns(place=UNIT)
    return runs.join(groups.rename({GROUP: "place"}), on=UNIT, maintain_order="left")


def _describe(name: str, runs: pl.DataFrame) -> dict[str, Any]:
    formulas = runs.group_by(UNIT).agg(pl.col("more_s").mean(), (pl.col("is_changed") > 0).any())
    return {
        "encoding": name,
        "formulas": len(formulas),
        "changed": int(formulas["is_changed"].sum()),
        "runs": len(runs),
        "solved": int((runs["solved"] > 0.5).sum()),
        "solved_as_it_is": int((runs["solved_before"] > 0.5).sum()),
        "more_encode_s": formulas["more_s"].median(),
    }
