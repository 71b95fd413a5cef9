"""The gate for records: what every record fulfils, wherever it comes from.

A record passes here before it is stored or shown, whether a worker measured it, a store was merged
or migrated, or an export was read. `columns` says what each column may hold, and this module what
the values of a record have to be together. `frame` applies the same to whole tables.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, Final

from nqbench.common.errors import Place
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Task, Verdict
from nqbench.problems.queens import FAMILIES
from nqbench.records import columns, measures, origin
from nqbench.records.columns import shown
from nqbench.records.record import COLUMNS, Record

ENDING: Final = ("outcome", "answer", "verdict", "checked_by", "task")
FILLED: Final = (
    "solve_s", "queens", "solutions", "best_k", "objective", "objective_text", "objective_s",
    "cap_s", "stopped_in", "load_at_least_s", "solve_at_least_s", "decode_at_least_s",
    "imported_from", "memory_limit_bytes",
)  # fmt: skip
"""The columns of `contradiction`: their values, and those of which it only asks whether there is a
value.
"""

NAMED: Final = ("run_id", "imported_from")
"""The columns of `origin.flaw`."""

_OF_STOPPED: Final = ("stopped_in", "load_at_least_s", "solve_at_least_s", "decode_at_least_s")
"""The columns of runs that were stopped at a limit."""

BOARD: Final = ("family", "n", "queens", "verdict")
"""The columns of `misplaced`."""

_values = attrgetter(*COLUMNS)


def flaw(facts: Mapping[str, Any]) -> str | None:
    """Why no run leaves a record with these values, in words that begin with the column; None if a
    run can. A missing column counts as empty.
    """
    for name, column in columns.OF_RECORDS.items():
        if reason := column.flaw(facts.get(name)):
            return f"{name} {reason}"
    return (
        flaw_of_measures(facts.get("measures"))
        or contradiction({name: facts.get(name) for name in (*ENDING, *FILLED)})
        or misplaced({name: facts.get(name) for name in BOARD})
        or origin.flaw({name: facts.get(name) for name in NAMED})
    )


def flaw_of_record(record: Record) -> str | None:
    """Why no run leaves this record, in words that begin with the column; None if a run can."""
    facts = dict(zip(COLUMNS, _values(record), strict=True))
    return flaw(facts | {"measures": record.measures})


def flaw_of_measures(values: object) -> str | None:
    """Why no run can have measured this, in words; None if it can."""
    if values is None:
        return None
    if not isinstance(values, dict):
        return f"measures is {shown(values)}, which is not an object of numbers"
    return measures.flaw(values)


def contradiction(facts: Mapping[str, Any]) -> str | None:
    """How the columns of `ENDING` and `FILLED` contradict each other, in words; None if they do
    not.
    """
    outcome, answer, verdict, checked_by, task = (facts[name] for name in ENDING)
    is_answered = outcome in (Outcome.FINISHED, Outcome.WORK_LIMIT)
    is_checked = verdict != Verdict.UNCHECKED
    by_solution = checked_by in (CheckedBy.BOARD, CheckedBy.RULES)
    by_source = checked_by == CheckedBy.SOURCE
    has_best_k = facts.get("best_k") is not None
    has_cap = facts.get("cap_s") is not None
    may_be_stopped = outcome in (Outcome.TIMEOUT, Outcome.MEMOUT, Outcome.CAPPED)
    values = [name for name in ("objective", "objective_text") if facts.get(name) is not None]
    has_objective = bool(values)
    may_be_better = task == Task.BEST and (may_be_stopped or answer == Answer.UNKNOWN)
    of_stopped = [name for name in _OF_STOPPED if facts.get(name) is not None]
    stated_answer = answer or "missing"
    forbidden = {
        f"solve_s is missing, but outcome is {outcome}": is_answered
        and facts["solve_s"] is None
        and not (by_source and verdict == Verdict.REFUTED),
        f"answer is {stated_answer}, but outcome is {outcome}": (answer is not None) != is_answered
        or (outcome == Outcome.WORK_LIMIT and answer != Answer.UNKNOWN),
        f"answer is {stated_answer}, but imported_from is missing": answer == Answer.UNSTATED
        and facts.get("imported_from") is None,
        "verdict is verified, but imported_from is filled": verdict == Verdict.VERIFIED
        and facts.get("imported_from") is not None,
        f"verdict is {verdict}, but answer is {stated_answer}": is_checked
        and answer not in (Answer.SAT, Answer.UNSAT)
        and not (by_source and answer == Answer.UNSTATED),
        "checked_by is source, but imported_from is missing": by_source
        and facts.get("imported_from") is None,
        f"checked_by is {checked_by}, but verdict is {verdict}": is_checked
        != (checked_by != CheckedBy.NONE),
        f"checked_by is {checked_by}, but answer is {stated_answer}": by_solution
        and answer == Answer.UNSAT
        and verdict == Verdict.VERIFIED,
        f"queens is filled, but answer is {stated_answer}": facts["queens"] is not None
        and answer != Answer.SAT
        and not (has_objective and may_be_better),
        f"objective is filled, but answer is {stated_answer}": has_objective
        and answer != Answer.SAT
        and not may_be_better,
        "objective_s is filled, but objective is missing": facts.get("objective_s") is not None
        and not has_objective,
        "objective_text is filled, but objective is as well": len(values) > 1,
        f"cap_s is filled, but outcome is {outcome}": has_cap and outcome != Outcome.CAPPED,
        f"cap_s is missing, but outcome is {outcome}": not has_cap and outcome == Outcome.CAPPED,
        f"{''.join(of_stopped[:1])} is filled, but outcome is {outcome}": bool(of_stopped)
        and not may_be_stopped,
        f"solutions is filled, but task is {task}": facts["solutions"] is not None
        and task != Task.ALL,
        f"best_k is filled, but task is {task} and answer is {stated_answer}": has_best_k
        and (task != Task.BEST or answer != Answer.SAT),
        "memory_limit_bytes is missing": facts.get("memory_limit_bytes") is None
        and facts.get("imported_from") is None,
    }
    return next((flaw for flaw, is_there in forbidden.items() if is_there), None)


def misplaced(facts: Mapping[str, Any]) -> str | None:
    """Why a board of queens cannot have these columns of `BOARD`, in words; None if it can, or if
    the problem is not a board.
    """
    family, n, queens, verdict = (facts[name] for name in BOARD)
    if family not in FAMILIES:
        return None
    if n is None:
        return f"n is missing, but family is {family}"
    if queens is not None and len(queens) > n * n:
        return f"queens has {len(queens)} squares, but n is {n}"
    if queens and verdict == Verdict.VERIFIED and not 1 <= min(queens) <= max(queens) <= n * n:
        return f"queens is {shown(queens)}, but n is {n}"
    return None


def place(run_id: object, row: int) -> Place:
    """The place of a record: its id, or the number of its row, counted from 1."""
    has_id = run_id is not None and not columns.OF_RECORDS["run_id"].flaw(run_id)
    return Place(field=f"record {run_id}") if has_id else Place(row=row)
