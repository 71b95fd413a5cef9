"""The times and counters by which runs are compared, with their names. Every command, plot and
sentence takes them from here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, get_type_hints

from nqbench.common import spelling
from nqbench.common.column_types import Counted
from nqbench.common.solver_counters import Counters
from nqbench.common.vocabulary import Phase

PAR: Final = 2
"""The usual k of PAR-k, the mean cost of a run if an unsolved one costs k times its limit."""

SCORE: Final = f"par{PAR}_s"
"""The column with it, which orders combinations wherever no other k is asked for."""

SCORE_NAME: Final = f"PAR-{PAR}"
"""Its name for readers."""


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is called in a plot, and in a sentence. `limit` is the field with the limit
    that an unsolved run reached, if there is such a limit. `remedy` is what to do if no run has a
    value.
    """

    label: str
    noun: str
    limit: str | None = None
    remedy: str = "choose another metric"


def _counter(noun: str, limit: str | None = None) -> Metric:
    return Metric(f"number of {noun}", noun, limit)


def _of_counter(name: str, hint: object) -> Metric:
    notes = [note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Counted)]
    return _counter(notes[0].noun or name, notes[0].limit) if notes else _counter(name)


_HINTS: Final = get_type_hints(Counters, include_extras=True)


TIMES: Final = {
    "solve_s": Metric("solve time", "solve time"),
    "total_s": Metric("total time", "total time"),
    "wall_s": Metric("time of the whole run", "wall time"),
    "cpu_s": Metric("CPU time of the whole run", "CPU time"),
    "load_s": Metric("load time", "load time"),
    "encode_s": Metric("encode time", "encoding time"),
}
"""Times that nqbench measures, in seconds."""

PHASES: Final = {
    "solve_s": (Phase.SOLVE,),
    "total_s": (Phase.LOAD, Phase.SOLVE, Phase.DECODE),
}
"""The phases of a worker that a time is the sum of. The total also has the time of encoding, which
is known before the worker starts.
"""

COUNTERS: Final = {
    **{name: _of_counter(name, hint) for name, hint in _HINTS.items()},
    "rejected_models": _counter("rejected models"),
}
"""Counts of work that solvers report. The speed of the machine does not affect them."""

EVENTS: Final = {
    "instructions": Metric(
        "number of instructions",
        "instructions",
        remedy="`nqbench doctor` says whether this machine counts them, and what to do if not",
    )
}
"""What the processor counts. Load hardly changes it, but it varies by less than a thousandth. So it
is compared like a counter, but never exactly.
"""

_ONLY_SEARCHES: Final = "only searches for the best value of a file have it"

OF_SEARCHES: Final = {
    "objective_s": Metric(
        "time to the best value", "time to the best value", remedy=_ONLY_SEARCHES
    ),
    "first_objective_s": Metric(
        "time to the first value", "time to the first value", remedy=_ONLY_SEARCHES
    ),
}
"""Times of searches for the best value of a file, in seconds of solving. A search that did not end
counts as its limit, as in any other time.
"""

METRICS: Final = TIMES | OF_SEARCHES | COUNTERS | EVENTS

USUAL: Final = "solve_s"
"""The metric if the user names none."""


def match_metric(name: str, recorded: Iterable[str] = ()) -> str:
    """The metric with this name, whatever its case: one of `METRICS`, or one of the names that are
    recorded besides. Raises `InputError` with the nearest names of both.
    """
    return spelling.match_name("metric", name, list(dict.fromkeys([*METRICS, *recorded])))


def label(metric: str) -> str:
    """The name of a metric in a plot, without a unit. A measure has the name that its user gave."""
    return METRICS[metric].label if metric in METRICS else metric


def noun(metric: str) -> str:
    """The name of a metric in a sentence: of a time in the singular, of a count in the plural."""
    return METRICS[metric].noun if metric in METRICS else metric


def remedy(metric: str) -> str:
    """What to do if no run has a value of this metric."""
    return METRICS[metric].remedy if metric in METRICS else Metric("", "").remedy


def limit_of(metric: str) -> str | None:
    """The field with the limit of a counter; None if it has none."""
    return METRICS[metric].limit if metric in METRICS else None
