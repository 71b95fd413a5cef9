"""How much repeats of a run differ, and how many digits of a time say something."""

from typing import Final

import numpy as np
import polars as pl

from nqbench.summary.measured import Measured
from nqbench.summary.observed import PAIR, SOLVED, THERE, differing

_OF_THIRD_DIGIT: Final = 0.01
"""Of a number with three digits, one unit of the third is at most this share."""


def repeat_noise(records: pl.DataFrame) -> float | None:
    """Median over combinations and boards of how much longer the slowest repeat takes, as a share
    of the fastest; None without three repeats. Repeats of a shuffled formula differ by more than
    noise.
    """
    time = pl.col("solve_s")
    repeated = records.filter(SOLVED & pl.col("shuffle").is_null() & (time > 0))
    keys = differing(repeated, [*PAIR, *THERE])
    found = repeated.group_by(keys).agg(more=time.max() / time.min() - 1, runs=pl.len())
    middle = found.filter(pl.col("runs") > 2)["more"].to_numpy()
    return float(np.median(middle)) if len(middle) else None


def digits_of_times(measured: Measured) -> int:
    """Two digits where the noise of repeats is larger than the third one, otherwise three."""
    noise = measured.once(_repeat_noise)
    return 2 if (noise or 0.0) > _OF_THIRD_DIGIT else 3


def _repeat_noise(measured: Measured) -> float | None:
    return repeat_noise(measured.records) if measured.has_repeats else None
