"""Describes a campaign in words: what was measured, under which limits, and where."""

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from nqbench.common import units
from nqbench.common.vocabulary import AS_IT_IS
from nqbench.problems.families.cnf import Formula
from nqbench.problems.families.cnfgen import Generated
from nqbench.summary.evidence import problem_count
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.observed import MEASURED_HERE, count_repeats, machines
from nqbench.summary.series import SIZED, noun

_MOST_FAMILIES: Final = 2

_GIB: Final = 2**30

_SPACE: Final = "\N{NO-BREAK SPACE}"


def campaign(records: pl.DataFrame, *, family: bool = True) -> str:
    """Describe what was measured: boards or formulas, encodings and solvers, repeats and runs.
    Without `family`, its name is left out.
    """
    repeats = 1 + int(records["repeat"].to_numpy().max()) if len(records) else 0
    pairs = [_names(records[column].unique().to_list(), word) for column, word in _PAIR.items()]
    phrases = [
        _problems(records, family),
        *(part for part in pairs if part != "1 encoding"),
        count_repeats(records, repeats),
        f"{units.thousands(len(records))} {units.plural(len(records), 'run')}",
    ]
    return ", ".join(phrases)


_PAIR: Final = {"encoding": "encoding", "backend": "solver"}


def _names(names: Sequence[str], word: str) -> str:
    """The only name, or the number of names. The encoding of a formula from a file is not named."""
    return names[0] if len(names) == 1 and names[0] != AS_IT_IS else units.counted(len(names), word)


def _problems(records: pl.DataFrame, with_family: bool) -> str:
    families = records["family"].unique().sort().to_list()
    boards = records.filter(SIZED)
    if boards.is_empty():
        return units.counted(problem_count(records), "formula")
    sizes = f"n = {units.span(boards['n'].unique().to_list())}"
    if not with_family:
        return sizes
    names = [family(name) for name in families]
    subject = " and ".join(names) if len(names) <= _MOST_FAMILIES else f"{len(names)} families"
    return f"{subject}, {sizes}"


def family(name: str) -> str:
    """The name of a family for readers."""
    return {
        "queens": "n-queens",
        Formula.family: "formulas",
        Generated.family: "CNFgen formulas",
    }.get(name, name)


def campaign_on_problems(records: pl.DataFrame) -> str:
    """Describe what was measured, as `campaign` does, with the number of problems."""
    number = problem_count(records)
    problems = f"{units.thousands(number)} {units.plural(number, noun(records))}"
    return f"{campaign(records)} on {problems}"


def conditions(records: pl.DataFrame) -> str:
    """How it was measured, in sentences: the limits of a run, the machine, and the versions of
    nqbench and Python; and which runs were imported.
    """
    limits = [
        _either((_memory(value) if field == _MEMORY else f"{value:g}") + suffix for value in values)
        for field, suffix in _LIMITS.items()
        if (values := records[field].drop_nulls().unique().sort().to_list())
    ]
    sentences = [f"Limits of a run: {' and '.join(limits)}."]
    own = records.filter(MEASURED_HERE)
    if len(own):
        harness = _either(own["harness"].unique().sort()).replace(", Python ", " and ")
        sentences.append(f"Measured by {harness} on {_either(machines(own))}.")
    return " ".join([*sentences, *cautions(records, Output.CONDITIONS)])


_MEMORY: Final = "memory_limit_bytes"

_LIMITS: Final = {
    "time_limit_s": f"{_SPACE}s",
    "cpu_limit_s": f"{_SPACE}s of CPU time",
    _MEMORY: " of memory",
    "conflict_limit": f"{_SPACE}conflicts",
    "propagation_limit": f"{_SPACE}propagations",
}
"""The fields with limits of a run, with what follows a value."""


def _memory(size: int) -> str:
    unit, value = ("GiB", size / _GIB) if size >= _GIB else ("MiB", size / 2**20)
    return f"{value:.3g}{_SPACE}{unit}"


def _either(values: Iterable[str]) -> str:
    return " or ".join(values)
