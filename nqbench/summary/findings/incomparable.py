"""Why combinations have no problem in common, and what would help."""

from typing import Final

import polars as pl

from nqbench.records.origin import MACHINE_OF
from nqbench.summary.findings.wording import listed
from nqbench.summary.observed import BOARD, PAIR, POSSIBLE, imported, machines

_SHOWN: Final = 3
_LIMIT: Final = "time_limit_s"


def why_nothing_is_common(records: pl.DataFrame, noun: str) -> str:
    """Why no problem was measured with every combination, in sentences."""
    possible_runs = records.filter(POSSIBLE)
    sources = list(imported(possible_runs))
    origins = listed(sources, _SHOWN)
    plain = _without_sources(possible_runs)
    nothing = f"Nothing can be compared: no {noun} was measured with every combination"
    if _has_common(plain, ["machine", _LIMIT]):
        return (
            f"Nothing can be compared: {origins} are separate sources, so a solver in several "
            "of them counts as several. If these are of one campaign, import their files together "
            "into another folder, or with one --source."
        )
    if _has_common(plain, [_LIMIT]):
        return f"{nothing} on one machine. {_of_machines(possible_runs, sources)}"
    if _has_common(plain, ["machine"]):
        return f"{nothing} under one time limit."
    return f"No {noun} was measured with every combination, so nothing can be compared."


def _of_machines(records: pl.DataFrame, sources: list[str]) -> str:
    """Which machines there are, and what to do if they are one."""
    names = list(machines(records))
    if not any(name.startswith(MACHINE_OF) for name in names):
        return f"There are {listed(names, _SHOWN)}."
    origins = listed(sources, _SHOWN)
    if len(sources) == 1:
        return (
            f"The runs of {origins} count as those of another machine: if they are not, import "
            "them with --set machine=NAME."
        )
    return (
        f"{origins} are separate sources, and each counts as another machine. If these are of "
        "one campaign, import their files together into another folder, or with one --source; if "
        "only of one machine, with --set machine=NAME."
    )


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
