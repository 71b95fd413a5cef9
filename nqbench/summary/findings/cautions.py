"""What makes times worthless: a run that was not measured here, how a solver was compiled, or a run
that had more time or other CPUs than its record says.
"""

from collections.abc import Iterator
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.common.units import count
from nqbench.common.vocabulary import LEFT, OUTSIDE
from nqbench.summary.findings.wording import counted, counted_by_pair, from_elsewhere
from nqbench.summary.observed import BOARD, different

_DOUBTS: Final = (
    (
        "spent unexplained time outside load, solve and decode",
        pl.col("message").str.contains(OUTSIDE, literal=True),
    ),
    ("did not stay on the pinned CPUs", pl.col("cpus").str.starts_with(LEFT)),
)


def copies(records: pl.DataFrame) -> str:
    """Say how many problems there are if some have several names, without a full stop."""
    names, problems = different(records, BOARD), summary.problem_count(records)
    if names == problems:
        return ""
    what = counted(problems, f"different {summary.noun(records)}")
    return f"{count(names)} names are of {what}: equal ones count once in comparisons"


def cautions(records: pl.DataFrame) -> Iterator[str]:
    """Say which runs were imported or merged, and how many problems have several names; and count
    the runs whose times may be better than those of others for no good reason, one sentence for
    each reason.
    """
    for sentence in from_elsewhere(summary.elsewhere(records), len(records)):
        yield f"{sentence}."
    if said := copies(records):
        yield f"{said}."
    for what, condition in _DOUBTS:
        runs = records.filter(condition)
        yield from counted_by_pair(runs, f"{counted(len(runs), 'run')} {what}")
