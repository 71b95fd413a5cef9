"""What a search for the best objective had found when it ended, as columns of its record."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from nqbench.common.column_types import FINEST
from nqbench.common.vocabulary import Answer, Task
from nqbench.isolate.shared_memory import LARGEST, Incumbents
from nqbench.measure.worker import WorkerReport
from nqbench.problems.clausal import Clausal
from nqbench.problems.instances import Instance, model_size
from nqbench.records.record import Run

MOST_POINTS: Final = 64

Point = tuple[float, int]
"""Seconds, and a value."""


def incumbents_of(run: Run, instance: Instance) -> Incumbents | None:
    """Where the worker of a run keeps what it finds; None if it is asked for no objective."""
    problem = run.problem
    if run.task is not Task.BEST or not isinstance(problem, Clausal):
        return None
    return Incumbents(model_size(instance)) if problem.facts.has_objective else None


def report_of_last(incumbents: Incumbents, instance: Instance) -> WorkerReport | None:
    """The last model as a report that can be checked; None if there is none."""
    last = incumbents.last
    if last is None:
        return None
    return WorkerReport(Answer.SAT, model=last.bits, model_size=model_size(instance))


def flaw_of_points(incumbents: Incumbents, most_s: float) -> str | None:
    """Why a process of `most_s` seconds cannot have found this, in words; None if it can."""
    seconds = [second for second, _ in incumbents.points]
    if last := incumbents.last:
        seconds.append(last.seconds)
    if wrong := [second for second in seconds if not 0 <= second <= most_s]:
        return f"a model after {wrong[0]:.3f} of {most_s:.3f} s"
    return "models in no order of time" if seconds != sorted(seconds) else None


def fields_of_best(
    incumbents: Incumbents, value: int | None, ended_s: float, *, is_claimed: bool = False
) -> dict[str, Any]:
    """The columns about the way to a value, which was checked; None if there is none. If the solver
    reported no model with this value before it ended, it was found at the end, after `ended_s`
    seconds. `is_claimed`: it says that none is better.
    """
    bound = value if is_claimed and value is not None else incumbents.bound
    fields: dict[str, Any] = {"bound": None if bound is None or abs(bound) >= LARGEST else bound}
    if value is None or abs(value) >= LARGEST:
        return fields
    points = [point for point in incumbents.points if abs(point[1]) < LARGEST]
    if not points or points[-1][1] != value:
        points.append((ended_s, value))
    shown = [(seconds if seconds >= FINEST else 0.0, v) for seconds, v in points]
    return fields | {
        "objective_s": shown[-1][0],
        "first_objective_s": shown[0][0],
        "incumbents": " ".join(f"{seconds:.6g}:{v}" for seconds, v in thin(shown)),
    }


def thin(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """The first point, the last one, and those between them that gained most, in their order."""
    if len(points) <= most:
        return list(points)
    gains = [abs(after[1] - before[1]) for before, after in pairwise(points[:-1])]
    by_gain = sorted(range(1, len(points) - 1), key=lambda at: gains[at - 1], reverse=True)
    return [points[at] for at in sorted({0, len(points) - 1, *by_gain[: most - 2]})]
