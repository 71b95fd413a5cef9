"""Searches for the best value of a file: one run for all steps, and claims that others beat.

`optimum` asks a solver that does not optimise for one value after another. Each step is a run, and
its file has the bound in its name, as in `knapsack.opb >=17`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import polars as pl

from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.summary.observed import PROBLEM

BEATEN: Final = "another run found a better value than the one that this run calls the best"
"""The message of such a run."""

_NEEDED: Final = {"objective", "ideal", "task", "message"}


def without_beaten_claims(records: pl.DataFrame) -> pl.DataFrame:
    """The records with the answer `unknown` and the message `BEATEN` for unchecked runs that claim
    to have found the best value of a file, of which another run has a better one; the same table if
    there is none. The values are those of models that the judge verified. A fast solver that claims
    too much would count as the fastest one otherwise.
    """
    if not set(records.columns) >= _NEEDED or not records["ideal"].count():
        return records
    is_false = (pl.col("verdict") == Verdict.REFUTED) & (pl.col("answer") == Answer.SAT)
    value = pl.when(~is_false.fill_null(value=False)).then("objective")
    distance = (value.cast(pl.Float64) - pl.col("ideal").cast(pl.Float64)).abs()
    is_claim = (
        (pl.col("outcome") == Outcome.FINISHED)
        & (pl.col("verdict") == Verdict.UNCHECKED)
        & (pl.col("answer") == Answer.SAT)
        & (pl.col("task") == Task.BEST)
    )
    is_beaten = (is_claim & (distance > distance.min().over(PROBLEM))).fill_null(value=False)
    if not records.select(is_beaten.any()).item():
        return records
    return records.with_columns(
        answer=pl.when(is_beaten).then(pl.lit(Answer.UNKNOWN.value)).otherwise("answer"),
        message=pl.when(is_beaten).then(pl.lit(BEATEN)).otherwise("message"),
    )


_BOUND: Final = r"^(.+) [<>]=(-?\d+)$"

_ONE_SEARCH: Final = (
    "family", "instance", "encoding", "backend", "repeat", "machine", "shuffle", "solver_seed",
    "time_limit_s", "imported_from", "merged_from",
)  # fmt: skip
"""The steps of a search are equal in these columns, once their bounds are taken off."""

_ADDED: Final = (
    *("encode_s", "load_s", "solve_s", "decode_s", "wall_s", "cpu_s"),
    *("encode_cpu_s", "load_cpu_s", "solve_cpu_s", "decode_cpu_s"),
    *(counter.name for counter in fields(Counters)),
)
"""What steps take adds up."""


_INTERRUPTED: Final = {
    "outcome": Outcome.SKIPPED.value,
    "answer": None,
    "verdict": Verdict.UNCHECKED.value,
    "checked_by": CheckedBy.NONE.value,
    "message": "the search was interrupted",
}
"""How a search ended whose next step was not asked for."""


def as_searches(records: pl.DataFrame) -> pl.DataFrame:
    """The records with one for each search of the best value of a file that was made in steps, in
    place of the steps; the same table if there is none. It has the task `best`, the best value that
    was found, and what the steps took together. It is finished if a step says that none is better.
    Claims count only where no better value is known: see `without_beaten_claims`.
    """
    return without_beaten_claims(_with_steps_as_one(records))


def _with_steps_as_one(records: pl.DataFrame) -> pl.DataFrame:
    if not {"ideal", "objective"} <= set(records.columns) or not records["ideal"].count():
        return records
    file = pl.col("instance").str.extract(_BOUND, 1)
    is_step = (pl.col("ideal").is_not_null() & (pl.col("task") == Task.FIRST)).fill_null(False)
    bounded = is_step & file.is_not_null()
    if not records.select(bounded.any()).item():
        return records
    keys = [name for name in _ONE_SEARCH if name in records.columns]
    of_solver = [name for name in keys if name not in {"family", "instance"}]
    named = records.with_columns(
        instance=pl.when(bounded).then(file).otherwise("instance"),
        _bound=pl.when(bounded).then(pl.col("instance").str.extract(_BOUND, 2).cast(pl.Int64)),
        _is_step=is_step,
    )
    is_bounded = pl.col("_bound").is_not_null()
    # A search whose first step has no model, or the ideal one, has no further steps.
    may_end = (pl.col("answer").ne_missing(Answer.SAT)) | (pl.col("objective") == pl.col("ideal"))
    in_search = is_bounded.any().over([*keys, "task"]) | (
        may_end & is_bounded.any().over([*of_solver, "task"])
    )
    named = named.with_columns(_is_step=pl.col("_is_step") & in_search)
    searches = [
        _as_one(steps.to_dicts())
        for steps in named.filter("_is_step").partition_by(keys, maintain_order=True)
    ]
    whole = pl.DataFrame([{n: row[n] for n in records.columns} for row in searches], records.schema)
    return pl.concat([named.filter(~pl.col("_is_step")).select(records.columns), whole])


def _as_one(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The row of a search with these steps, in any order. Its sizes are those of the first one."""
    steps = sorted(steps, key=lambda step: step.get("started_at") or 0.0)
    row: dict[str, Any] = {**steps[0], "task": Task.BEST.value, "objective": None}
    row |= {name: _sum(step[name] for step in steps) for name in _ADDED if name in row}
    if "problem_digest" in row:
        without_bound = (step["problem_digest"] for step in steps if step["_bound"] is None)
        row["problem_digest"] = next(without_bound, None)
    right = [step for step in steps if step["verdict"] != Verdict.REFUTED]
    models = [step for step in right if step["objective"] is not None]
    best = min(models, key=lambda step: abs(step["objective"] - step["ideal"]), default=None)
    if best is not None:
        row["objective"] = best["objective"]
    path = _path(steps, models)
    of_path = {
        "incumbents": " ".join(f"{seconds:.6g}:{value}" for seconds, value in path) or None,
        "first_objective_s": path[0][0] if path else None,
        "objective_s": path[-1][0] if path else None,
    }
    row |= {name: value for name, value in of_path.items() if name in row}
    if len(right) < len(steps):
        return row | _ending(next(step for step in steps if step not in right))
    if best is not None and best["objective"] == best["ideal"]:
        return row | _ending(best)
    asked = [step for step in steps if step["_bound"] == _next_better(best)]
    if not asked:
        return row | _INTERRUPTED
    last = _ending(next((step for step in asked if step["answer"] == Answer.UNSAT), asked[0]))
    if best is not None and last["answer"] == Answer.UNSAT:
        last["answer"] = Answer.SAT.value
    return row | last


def _path(
    steps: Iterable[Mapping[str, Any]], models: Sequence[Mapping[str, Any]]
) -> list[tuple[float, int]]:
    """The seconds of solving after which a search with these steps, in their order, had each better
    value, and these values.
    """
    path: list[tuple[float, int]] = []
    passed_s = 0.0
    for step in steps:
        passed_s += step["solve_s"] or 0.0
        if step in models and (not path or _is_better(step, path[-1][1])):
            path.append((passed_s, step["objective"]))
    return path


def _is_better(step: Mapping[str, Any], value: int) -> bool:
    ideal: int = step["ideal"]
    return abs(int(step["objective"]) - ideal) < abs(value - ideal)


def _next_better(best: Mapping[str, Any] | None) -> int | None:
    """The bound that a model has to meet to be better than this one; None if there is no model."""
    if best is None:
        return None
    value: int = best["objective"]
    return value + (1 if value < best["ideal"] else -1)


def _ending(step: Mapping[str, Any]) -> dict[str, Any]:
    """How a search ended whose last word is that of this step."""
    names = ("outcome", "answer", "verdict", "checked_by", "message")
    return {name: step[name] for name in names if name in step}


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
