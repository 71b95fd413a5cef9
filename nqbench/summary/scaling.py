"""Fits how the time grows with n: as a power of n, or exponentially."""

import math
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import PAIR, observed
from nqbench.summary.series import SIZED

_FEWEST: Final = 5
"""With fewer sizes the verdict is `undecided`."""

_DECISIVE: Final = 4.0
"""Difference of the AIC from which one model is considerably less supported than the other (K.
Burnham, D. Anderson, Sociological Methods and Research 33, 2004).
"""

_ROUNDING: Final = 1e-12
"""A difference of logarithms that rounding can make."""


def scaling(records: Records, time: str = "solve_s", floor_s: float = 1e-3) -> pl.DataFrame:
    """Fit two models of the median time over n for each encoding x backend, one row for each model.

    `polynomial` is time = a n^b, `exponential` is time = a b^n, each fitted by least squares to the
    logarithms of the medians. The sizes before the first whose median reaches `floor_s` show the
    overhead and not the solver. Sizes with mostly unsolved runs have no known time. Both are left
    out. Formulas have no n and are ignored.

    Columns: encoding, backend, model, sizes (number fitted), first_n and last_n of these, unsolved
    (number of sizes left out as unsolved), a, b, low and high (95 % interval for b), residual
    (standard deviation of log10 of the time), verdict: `polynomial`, `exponential` or `undecided`,
    the same in both rows: by AIC, if there are at least five sizes, the better model is better by
    4, and its whole interval for b is growth. With another verdict, b is not how the time grows.
    """
    medians = (
        observed(Measured.of(records).where(SIZED).records, time)
        .drop_nulls("time_s")
        .group_by([*PAIR, "n"])
        .agg(pl.col("time_s").median(), solved=pl.col("solved").mean() > 0.5)
        .sort([*PAIR, "n"])
    )
    rows: list[dict[str, Any]] = []
    for (encoding, backend), sizes in medians.group_by(PAIR, maintain_order=True):
        # Keep all sizes after the first slow one: leaving out fast ones would flatten the curve.
        fitted = sizes.filter((pl.col("time_s") >= floor_s).cum_max()).filter("solved")
        n, log_time = fitted["n"].to_numpy().astype(np.float64), np.log(fitted["time_s"].to_numpy())
        fits = [_fit(model, n, log_time) for model in ("polynomial", "exponential")]
        common = {
            "encoding": encoding,
            "backend": backend,
            "sizes": len(n),
            "first_n": fitted["n"].min(),
            "last_n": fitted["n"].max(),
            "unsolved": int((~sizes["solved"]).sum()),
            "verdict": _verdict(fits, len(n)),
        }
        rows += [
            common | {key: fit.get(key) for key in _SCHEMA if key not in common} for fit in fits
        ]
    return pl.DataFrame(rows, schema=_SCHEMA)


_SCHEMA: Final = {
    "encoding": pl.String,
    "backend": pl.String,
    "model": pl.String,
    "sizes": pl.Int64,
    "first_n": pl.Int64,
    "last_n": pl.Int64,
    "unsolved": pl.Int64,
    "a": pl.Float64,
    "b": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "residual": pl.Float64,
    "verdict": pl.String,
}


def _fit(model: str, n: NDArray[np.float64], log_time: NDArray[np.float64]) -> dict[str, Any]:
    if len(n) < 3:
        return {"model": model}
    from scipy.special import stdtrit  # 0.3 s to import

    x = np.log(n) if model == "polynomial" else n
    (slope, intercept), covariance = np.polyfit(x, log_time, 1, cov=True)
    half = stdtrit(len(n) - 2, 0.975) * math.sqrt(covariance[0, 0])
    bounds = [float(slope), float(slope - half), float(slope + half)]
    if model == "exponential":
        # A float cannot hold more than e^709.
        bounds = [math.exp(min(bound, 700.0)) for bound in bounds]
    squares = float(((log_time - intercept - slope * x) ** 2).sum())
    b, low, high = bounds
    return {
        "model": model,
        "a": math.exp(intercept),
        "b": b,
        "low": low,
        "high": high,
        "residual": math.sqrt(squares / (len(n) - 2)) / math.log(10),
        # What a perfect fit leaves depends on the rounding of the machine, which decides nothing.
        "squares": max(squares, len(n) * _ROUNDING**2),
    }


def _verdict(fits: list[dict[str, Any]], count: int) -> str:
    if count < _FEWEST:
        return "undecided"
    best, other = sorted(fits, key=lambda fit: fit["squares"])
    # Both models have three parameters, so AIC adds the same penalty for both.
    difference = count * math.log(other["squares"] / best["squares"])
    grows = best["low"] > _CONSTANT[best["model"]]
    return str(best["model"]) if difference >= _DECISIVE and grows else "undecided"


_CONSTANT: Final = {"polynomial": 0.0, "exponential": 1.0}
"""The b of a time that does not depend on n."""
