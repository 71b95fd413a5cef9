"""Why combinations have no problem in common, and what would help."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from nqbench.records.origin import MACHINE_OF
from nqbench.summary.findings.fact import Fact
from nqbench.summary.findings.wording import listed
from nqbench.summary.observed import BOARD, PAIR, POSSIBLE, imported, machines

_SHOWN: Final = 3
_LIMIT: Final = "time_limit_s"


def why_nothing_is_common(records: pl.DataFrame, noun: str) -> Fact:
    """Why no problem was measured with every combination."""
    possible_runs = records.filter(POSSIBLE)
    sources = list(imported(possible_runs))
    plain = _without_sources(possible_runs)
    if _has_common(plain, ["machine", _LIMIT]):
        return Fact(apart_by_sources, sources)
    if _has_common(plain, [_LIMIT]):
        return Fact(apart_by_machines, noun, list(machines(possible_runs)), sources)
    if _has_common(plain, ["machine"]):
        return Fact(apart_by_limits, noun)
    return Fact(apart, noun)


_NOTHING: Final = "Nothing can be compared: no {} was measured with every combination"


def apart_by_sources(sources: Sequence[str]) -> str:
    """The same solvers are in several sources."""
    return (
        f"Nothing can be compared: {listed(sources, _SHOWN)} are separate sources, so a solver in "
        "several of them counts as several. If these are of one campaign, import their files "
        "together into another folder, or with one --source."
    )


def apart_by_machines(noun: str, names: Sequence[str], sources: Sequence[str]) -> str:
    """Which machines there are, and what to do if they are one."""
    origins = listed(sources, _SHOWN)
    if not any(name.startswith(MACHINE_OF) for name in names):
        there = f"There are {listed(names, _SHOWN)}."
    elif len(sources) == 1:
        there = (
            f"The runs of {origins} count as those of another machine: if they are not, import "
            "them with --set machine=NAME."
        )
    else:
        there = (
            f"{origins} are separate sources, and each counts as another machine. If these are of "
            "one campaign, import their files together into another folder, or with one "
            "--source; if only of one machine, with --set machine=NAME."
        )
    return f"{_NOTHING.format(noun)} on one machine. {there}"


def apart_by_limits(noun: str) -> str:
    """Time limits differ."""
    return f"{_NOTHING.format(noun)} under one time limit."


def apart(noun: str) -> str:
    """No problem was measured with every combination."""
    return f"No {noun} was measured with every combination, so nothing can be compared."


def _without_sources(records: pl.DataFrame) -> pl.DataFrame:
    """The records without the sources in the names of solvers: see `frame.sources_told_apart`."""
    if "imported_from" not in records.columns:
        return records
    suffix = pl.format(" [{}]", pl.col("imported_from").fill_null(""))
    return records.with_columns(backend=pl.col("backend").str.strip_suffix(suffix))


def _has_common(records: pl.DataFrame, also: list[str]) -> bool:
    """Whether a problem was measured with every combination, where these columns are equal, too."""
    combinations = records.select(PAIR).n_unique()
    counts = records.select(*PAIR, *BOARD, *also).unique().group_by(*BOARD, *also).len()
    return bool((counts["len"] == combinations).any())
