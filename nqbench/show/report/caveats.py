"""What to keep in mind before trusting the findings, in sentences."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from nqbench import summary
from nqbench.common.units import percent
from nqbench.machine.conditions import Session, warnings
from nqbench.machine.environment import Environment
from nqbench.summary.findings.cautions import cautions
from nqbench.summary.findings.wording import MOST_NAMED, counted, listed


def caveats(
    records: pl.DataFrame, environments: Sequence[Environment], sessions: Sequence[Session]
) -> list[str]:
    """What to keep in mind before trusting a time."""
    cpu_count = min((environment.cpu_count for environment in environments), default=1)
    found = [
        _mixed_machines(records),
        _mixed_limits(records),
        *_mixed_versions(records),
        *_mixed_builds(records),
        *cautions(records),
        *(f"{line[0].upper()}{line[1:]}." for line in warnings(sessions, cpu_count)),
        _repeats(records),
        _unchecked(records),
        *_unavailable(records),
        _invalid(records),
    ]
    return [sentence for sentence in found if sentence]


def _mixed_machines(records: pl.DataFrame) -> str:
    machines = summary.machines(records)
    if len(machines) < 2:
        return ""
    return (
        f"Runs of {len(machines)} machines are mixed ({'; '.join(machines)}): comparisons of "
        "combinations stay on one machine each, and a problem counts once, with the mean over its "
        "machines. Medians are over all runs."
    )


def _mixed_limits(records: pl.DataFrame) -> str:
    limits = summary.time_limits(records)
    if len(limits) < 2:
        return ""
    return (
        f"{len(limits)} time limits are mixed ({'; '.join(f'{limit:g} s' for limit in limits)}): "
        "only problems that all combinations met under the same limit are compared."
    )


def _mixed_versions(records: pl.DataFrame) -> Iterator[str]:
    for name, versions in summary.versions(records).items():
        yield f"Versions of {name} are mixed: {', '.join(versions)}."


def _mixed_builds(records: pl.DataFrame) -> Iterator[str]:
    for name, builds in summary.builds(records).items():
        yield f"Builds of {name} are mixed: {'; '.join(builds)}."


def _repeats(records: pl.DataFrame) -> str:
    repeats = records.group_by([*summary.PAIR, *summary.THERE]).len()["len"].to_list()
    if max(repeats, default=0) < 3:
        return "Few repeats: what differs by little may be noise."
    if noise := _noise(records):
        return (
            f"The slowest repeat of a run takes {percent(noise)} more time than the fastest "
            f"(median over combinations and {summary.noun(records)}s)."
        )
    return ""


def _unchecked(records: pl.DataFrame) -> str:
    unchecked = records.filter(summary.SOLVED & (pl.col("verdict") == "unchecked"))
    if unchecked.is_empty():
        return ""
    verb = "was" if len(unchecked) == 1 else "were"
    return f"{counted(len(unchecked), 'answer')} {verb} not checked."


def _unavailable(records: pl.DataFrame) -> Iterator[str]:
    for name in records.filter(outcome="unavailable")["backend"].unique().sort():
        yield f"{name} was not available, so it has no times."


def _invalid(records: pl.DataFrame) -> str:
    invalid = records.filter(outcome="invalid")["message"].unique().sort().to_list()
    told = f"{counted(len(invalid), 'file')} could not be measured: {listed(invalid, MOST_NAMED)}."
    return told if invalid else ""


def _noise(records: pl.DataFrame) -> float:
    """Median over combinations and boards of how much longer the slowest repeat takes, as a share
    of the fastest. Repeats of a shuffled formula differ by more than noise.
    """
    time = pl.col("solve_s")
    repeated = records.filter(summary.SOLVED & pl.col("shuffle").is_null() & (time > 0))
    found = repeated.group_by([*summary.PAIR, *summary.THERE]).agg(
        more=time.max() / time.min() - 1, runs=pl.len()
    )
    middle = found.filter(pl.col("runs") > 2)["more"].to_numpy()
    return float(np.median(middle)) if len(middle) else 0.0
