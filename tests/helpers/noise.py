"""Campaigns with recorded noise, and what a comparison of them raises an alarm for."""

import json
import math

import polars as pl
from made_records import DONE, table
from places import DATA

from nqbench.addons.compare import changes

NOISE = json.loads((DATA / "noise.json").read_text())
"""Noise of four main jobs on one machine: for each combination, the median times of its boards in
seconds and the deviations of the logarithms of repeats; and deviations of whole campaigns."""

ABOVE = 0.1


def simulated(rng, slower=None):
    """A campaign like the main job, with noise drawn from records: the noise of each run, and
    the noise of the machine, which is the same for all.
    """
    drift = rng.choice(NOISE["drifts"])
    rows = []
    for pair, recorded in NOISE["pairs"].items():
        encoding, backend = pair.split(" x ")
        planted = math.log(1.2) if pair == slower else 0.0
        # Draw whole boards, since a disturbance affects several runs in a row.
        drawn = rng.choice(recorded["blocks"], len(recorded["medians"]))
        for n, (median, noises) in enumerate(zip(recorded["medians"], drawn, strict=True), 4):
            rows += [
                (encoding, backend, n, median * math.exp(noise + drift + planted))
                for noise in noises
            ]
    encodings, backends, sizes, times = zip(*rows, strict=True)
    one = table((4, DONE, 1.0))
    return one[[0] * len(rows)].with_columns(
        encoding=pl.Series(encodings),
        backend=pl.Series(backends),
        n=pl.Series(sizes, dtype=pl.Int64),
        solve_s=pl.Series(times),
        repeat=pl.Series([0, 1, 2] * (len(rows) // 3), dtype=pl.Int64),
    )


def alarms(old, new):
    found = changes.slower(changes.times(old, new).table, ABOVE)
    return [
        f"{encoding} x {backend}"
        for encoding, backend in found.select("encoding", "backend").rows()
    ]
