"""How easily another combination would have been first: with other problems, another limit, without
one family, or by another average.

The draws resample the problems. Plain resampling of all of them says too often that a first place
is safe, since the first was chosen by the same problems: a quarter of them holds on problems that
were held out (J. Shao, "Bootstrap model selection", Journal of the American Statistical Association
91, 1996, on draws of fewer). `tools/calibration_of_draws.py` measures how often.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from nqbench.common.metrics import PAR, SCORE
from nqbench.common.units import is_time
from nqbench.records.derived import FORMULA_FAMILY, with_derived
from nqbench.summary.evidence import UNIT, unit_groups, with_unit
from nqbench.summary.measured import Measured, Records
from nqbench.summary.observed import (
    BOARD,
    GROUP,
    PAIR,
    POSSIBLE,
    SHUFFLED_REPEAT,
    observed,
    par_column,
    penalised,
)

DRAWS: Final = 2000
SHARE: Final = 0.25
"""The share of the problems in a draw."""

FEWEST: Final = 20
"""With fewer problems, draws say nothing."""

CLOSE: Final = 0.05
"""A combination is close to the first if it costs at most this share more."""

FEWEST_FAMILIES: Final = 6
"""With fewer families or folders, draws say nothing about others."""

FEWEST_SEEDS: Final = 3

Costs = NDArray[np.float64]

_SEED: Final = ("shuffle", "solver_seed", "shuffled_repeat")
_BLOCK: Final = 2_000_000
"""Problems that are drawn at once: what they take is 16 bytes each."""

_MOST_SAMPLES: Final = 200
_SAMPLED: Final = 5_000_000
"""Costs of samples of seeds that are held at once, and at most so many samples."""

_ROUNDING: Final = 1e-9
"""Relative tolerance: equal costs may differ in the last digits of their sums."""


def stability(records: Records, time: str = "solve_s", par: int = PAR) -> pl.DataFrame:
    """How often each combination is first in draws of a quarter of the problems that all were
    measured on, one row each, best PAR-2 first; no rows for fewer than 20 problems or for one
    combination, and none if a race capped runs: what it measured in full is where combinations are
    close. The draws are the same each time.

    Columns:
    - encoding, backend, problems;
    - par2_s: with another k as `par`, PAR-k, and named after it;
    - first_share: of 2,000 draws, with replacement, in which its PAR-2 is the least; equals
      divide a draw;
    - close_share: of these, in which it is at most 5 % above the least;
    - median_s: of the problems; an unsolved one is at its limit;
    - limit_low_s and limit_high_s: the ends of the highest range of limits at which it would be
      first, if a run that takes longer counted as unsolved; null if there is none, and for counts;
    - without: the families and folders without which it would be first; of the first row, those
      without which it would not be; null if there is none;
    - families: their number;
    - family_share: of draws of a quarter of the families, in which it is first; null for fewer than
      six;
    - has_seeds: whether draws take other seeds, too, since all runs have three or more;
    - groups: if groups of problems are the units of evidence, their number. Then whole groups are
      drawn, of six or more, and family_share is null.

    From median_s to without, they describe these problems, and are no tests.
    """
    return Measured.of(records).once(_stability, time, par)


def _stability(measured: Measured, time: str, par: int) -> pl.DataFrame:
    par_s = par_column(par)
    table = measured.unit_costs(time, par)
    count = table[UNIT].n_unique()
    is_drawn = count >= FEWEST and len(table) > count and measured.not_capped is measured
    if not is_drawn or table[par_s].has_nulls():
        return pl.DataFrame(schema={par_s if k == SCORE else k: v for k, v in _SCHEMA.items()})
    rows = (
        table.group_by(PAIR)
        .agg(pl.col(par_s).mean(), median_s=pl.col("time_s").median(), problems=pl.len())
        .sort(par_s, *PAIR)
    )
    # The combinations in the order of the rows, each with its units in their order.
    place = rows.select(PAIR).with_row_index("place")
    ordered = table.join(place, on=PAIR).sort("place", UNIT)
    costs = ordered[par_s].to_numpy().reshape(-1, count).T
    samples = _seed_samples(measured, time, par, place, count)
    drawn = costs[np.newaxis] if samples is None else samples
    groups = _groups_of_units(measured, time)
    if groups is not None and groups.max() + 1 < FEWEST_FAMILIES:
        return pl.DataFrame(schema={par_s if k == SCORE else k: v for k, v in _SCHEMA.items()})
    first, close = _shares(
        weighted(drawn)
        if groups is None
        else np.concatenate([by_group(sample, groups) for sample in drawn])
    )
    nowhere: list[float | None] = [None] * len(rows)
    lows, highs = (
        first_limits(_runs(measured, time, place), par) if is_time(time) else (nowhere, nowhere)
    )
    names, families = families_of_units(measured, time)
    with_families = len(names) >= FEWEST_FAMILIES and groups is None
    of_families = _shares(by_group(costs, families))[0] if with_families else [None] * len(rows)
    return rows.with_columns(
        first_share=pl.Series(first),
        close_share=pl.Series(close),
        limit_low_s=pl.Series(lows, dtype=pl.Float64),
        limit_high_s=pl.Series(highs, dtype=pl.Float64),
        without=pl.Series(_without(costs, names, families), dtype=pl.String),
        families=pl.lit(len(names)),
        family_share=pl.Series(of_families, dtype=pl.Float64),
        has_seeds=pl.lit(samples is not None),
        groups=pl.lit(None if groups is None else int(groups.max()) + 1, pl.Int32),
    ).select(par_s if name == SCORE else name for name in _SCHEMA)


_SCHEMA: Final = {
    "encoding": pl.String,
    "backend": pl.String,
    "problems": pl.UInt32,
    SCORE: pl.Float64,
    "first_share": pl.Float64,
    "close_share": pl.Float64,
    "median_s": pl.Float64,
    "limit_low_s": pl.Float64,
    "limit_high_s": pl.Float64,
    "without": pl.String,
    "families": pl.Int32,
    "family_share": pl.Float64,
    "has_seeds": pl.Boolean,
    "groups": pl.Int32,
}


def _shares(samples: Costs) -> tuple[Costs, Costs]:
    """The shares of draws in which each combination is first, and is close to the first. `samples`
    are as in `draws`. Equals divide a draw.
    """
    combinations = samples.shape[2] - 1
    first, close = np.zeros(combinations), np.zeros(combinations)
    for means in draws(samples):
        least = means.min(axis=1, keepdims=True)
        are_first = means <= (1 + _ROUNDING) * least
        first += (are_first / are_first.sum(axis=1, keepdims=True)).sum(axis=0)
        close += (means <= (1 + CLOSE + _ROUNDING) * least).sum(axis=0)
    return first / DRAWS, close / DRAWS


def draws(samples: Costs, count: int = DRAWS, share: float = SHARE) -> Iterator[Costs]:
    """The mean costs of the combinations in `count` draws of a share of the units, in blocks of
    shape (draws, combinations).

    `samples` are costs of shape (samples, units, combinations + 1), with the weights of the units
    in the last place. A unit that is drawn has the costs of one sample.
    """
    from scipy.sparse import csr_array  # 0.2 s to import

    number, units, width = samples.shape
    drawn = max(1, round(share * units))
    rows = samples.reshape(-1, width)
    random = np.random.default_rng(0)
    block = max(1, _BLOCK // drawn)
    for start in range(0, count, block):
        size = min(block, count - start)
        places = random.integers(units, size=size * drawn)
        if number > 1:
            places += units * random.integers(number, size=size * drawn)
        ends = drawn * np.arange(size + 1)
        # A dense product would take threads, which decide about the last digits.
        times = csr_array((np.ones(size * drawn), places, ends), shape=(size, len(rows)))
        sums = times @ rows
        yield sums[:, :-1] / sums[:, -1:]


def weighted(samples: Costs) -> Costs:
    """Costs of shape (samples, units, combinations), with equal weights of the units."""
    return np.concatenate([samples, np.ones((*samples.shape[:2], 1))], axis=2)


def by_group(costs: Costs, groups: NDArray[np.int_]) -> Costs:
    """The costs of groups of units, for `draws` of whole groups, in which a unit weighs as much as
    any other. `costs` have the shape (units, combinations); groups are numbered from 0.
    """
    sums = np.zeros((groups.max() + 1, costs.shape[1]))
    np.add.at(sums, groups, costs)
    return np.column_stack([sums, np.bincount(groups)])[np.newaxis]


def firsts(means: Costs) -> NDArray[np.int_]:
    """The first combination in each row of costs; of equals, the one before the others."""
    least = means.min(axis=1, keepdims=True)
    firsts: NDArray[np.int_] = (means <= (1 + _ROUNDING) * least).argmax(axis=1)
    return firsts


def _seed_samples(
    measured: Measured, time: str, par: int, place: pl.DataFrame, count: int
) -> Costs | None:
    """Costs of the units from seeds that are resampled within them, of shape (samples, units,
    combinations); None if a combination has fewer than `FEWEST_SEEDS` on a problem.
    """
    runs = measured.on_common.records
    if "shuffle" in runs.columns:
        runs = runs.with_columns(SHUFFLED_REPEAT)
    columns = [name for name in _SEED if name in runs.columns]
    if not columns or runs.select(columns).n_unique() < FEWEST_SEEDS:
        return None
    cost = penalised(par).alias("cost")
    by_seed = (
        with_unit(observed(runs, time).filter(POSSIBLE))
        .join(place, on=PAIR)
        .group_by("place", UNIT, *columns)
        .agg(cost.mean())
        .sort("place", UNIT, *columns, nulls_last=True)
        .group_by("place", UNIT, maintain_order=True)
        .agg("cost", seeds=pl.len())
    )
    seeds = by_seed["seeds"].to_numpy().astype(np.int64)
    if seeds.min() < FEWEST_SEEDS:
        return None
    values = by_seed["cost"].explode().to_numpy()
    starts = np.cumsum(seeds) - seeds
    number = int(np.clip(_SAMPLED // len(seeds), 1, _MOST_SAMPLES))
    random = np.random.default_rng(1)
    samples = np.empty((number, count, len(place)))
    owner = np.repeat(np.arange(len(seeds)), seeds)
    for sample in samples:
        chosen = starts[owner] + random.integers(seeds[owner])
        means = np.bincount(owner, weights=values[chosen]) / seeds
        sample[:] = means.reshape(-1, count).T
    return samples


def _runs(measured: Measured, time: str, place: pl.DataFrame) -> pl.DataFrame:
    """The runs that costs are of: place (of the combination), time_s, solved, time_limit_s, and
    their weight in the mean cost of a unit: a machine counts once, and on it a board.
    """
    runs = measured.common(time)
    common = measured.on_common.records
    if len(runs) < len(common):  # with repeats
        runs = observed(common, time).filter(POSSIBLE)
    runs = with_unit(runs).join(place, on=PAIR)
    boards = pl.struct(BOARD).n_unique().over("place", UNIT, "machine")
    machines = pl.col("machine").n_unique().over("place", UNIT)
    repeats = pl.len().over("place", UNIT, "machine", *BOARD)
    several = len(runs) > runs.select("place", UNIT).n_unique()
    weight = 1.0 / (boards * machines * repeats) if several else pl.lit(1.0)
    return runs.select("place", "time_s", "solved", "time_limit_s", weight=weight)


def first_limits(runs: pl.DataFrame, par: int) -> tuple[list[float | None], list[float | None]]:
    """The lower and the upper ends of the highest range of time limits at which each combination is
    first: of the limits with two digits from the shortest solved run on, and the greatest one of
    the runs. A run that takes longer than such a limit counts as unsolved.

    `runs` has the columns place, time_s, solved, time_limit_s and weight.
    """
    limits = _two_digits(
        runs.filter("solved")["time_s"].min(),  # type: ignore[arg-type]
        runs["time_limit_s"].max(),  # type: ignore[arg-type]
    )
    tables = runs.sort("place").partition_by("place", maintain_order=True)
    costs = np.array([_costs_at(limits, table, par) for table in tables]).T
    first = firsts(costs)
    lows: list[float | None] = []
    highs: list[float | None] = []
    for place in range(len(tables)):
        (at,) = np.nonzero(first == place)
        # The highest range begins after the last gap.
        gaps = np.nonzero(np.diff(at) > 1)[0]
        start = at[gaps[-1] + 1] if gaps.size else at[0] if at.size else 0
        lows.append(float(limits[start]) if at.size else None)
        highs.append(float(limits[at[-1]]) if at.size else None)
    return lows, highs


def _two_digits(low: float | None, high: float) -> Costs:
    """The numbers with two digits between these two, and the upper one."""
    if low is None:
        return np.array([high])
    powers = range(int(np.floor(np.log10(max(low, 1e-9)))) - 1, int(np.ceil(np.log10(high))))
    numbers = np.array(
        [float(f"{digits}e{power}") for power in powers for digits in range(10, 100)]
    )
    return np.append(numbers[(numbers >= low) & (numbers < high)], high)


def _costs_at(limits: Costs, runs: pl.DataFrame, par: int) -> Costs:
    """The sum of the costs of a combination's runs, as if each of the limits were the run's, unless
    its own is lower.
    """
    solved, unsolved = (runs.filter(condition) for condition in ("solved", ~pl.col("solved")))
    # A run may end a little after its limit, and count as solved.
    solved = solved.with_columns(ends=pl.min_horizontal("time_s", "time_limit_s")).sort("ends")
    times, late = _below(limits, solved, "ends", "time_s")
    own, lower = _below(limits, unsolved.sort("time_limit_s"), "time_limit_s", "time_limit_s")
    costs: Costs = times + par * (own + limits * (late + lower))
    return costs


def _below(limits: Costs, runs: pl.DataFrame, key: str, value: str) -> tuple[Costs, Costs]:
    """For each limit, the weighted sum of the values of runs whose key is at most that, and the
    weight of the others. The runs are sorted by the key.
    """
    weights = runs["weight"].to_numpy()
    sums = np.append(0.0, np.cumsum(weights * runs[value].to_numpy()))
    lighter = np.append(0.0, np.cumsum(weights))
    place = np.searchsorted(runs[key].to_numpy(), limits, side="right")
    return sums[place], lighter[-1] - lighter[place]


def _groups_of_units(measured: Measured, time: str) -> NDArray[np.int_] | None:
    """The place of each unit's group, from 0; None if problems are the units of evidence."""
    groups = unit_groups(with_unit(measured.common(time)))
    if groups is None:
        return None
    # Numbered downwards, in the order of their names.
    return np.unique(-groups.sort(UNIT)[GROUP].to_numpy(), return_inverse=True)[1]


def families_of_units(
    measured: Measured, time: str = "solve_s"
) -> tuple[list[str], NDArray[np.int_]]:
    """The names of the families and folders of the units, and the place of each unit's."""
    runs = with_derived(with_unit(measured.common(time)), [FORMULA_FAMILY])
    of_units = runs.group_by(UNIT).agg(pl.col(FORMULA_FAMILY).min()).sort(UNIT)[FORMULA_FAMILY]
    names, places = np.unique(of_units.to_numpy(), return_inverse=True)
    return [str(name) for name in names], places


def firsts_without(costs: Costs, groups: NDArray[np.int_]) -> NDArray[np.int_]:
    """The first combination without each group of units, by costs of shape (units, combinations)
    and the group of each unit, from 0; there are several groups, and no number is left out.
    """
    sums = by_group(costs, groups)[0]
    others = sums.sum(axis=0) - sums
    return firsts(others[:, :-1] / others[:, -1:])


def _without(costs: Costs, names: list[str], families: NDArray[np.int_]) -> list[str | None]:
    """For each combination the families without which it is first; for the first one, those without
    which it is not.
    """
    without: list[list[str]] = [[] for _ in range(costs.shape[1])]
    if len(names) > 1:
        for name, place in zip(names, firsts_without(costs, families), strict=True):
            if place:
                without[place].append(name)
                without[0].append(name)
    return [", ".join(each) or None for each in without]
