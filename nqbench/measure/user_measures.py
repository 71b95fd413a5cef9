"""Reads measures from the output of a run, when it ends or later from its log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from nqbench.common.errors import InputError
from nqbench.common.printable import printable
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import Isolation
from nqbench.records import measures
from nqbench.records.measures import LIMITS, Measure

if TYPE_CHECKING:
    from nqbench.records.record import Record
    from nqbench.records.store import Store


@dataclass(frozen=True, slots=True)
class Remeasured:
    """What reading measures from the logs of a store gave.

    `read` is the number of logs. `with_value` has the number of records that have a value now, by
    the measure, and `flaws` what went wrong, in words. `without_log` has the ids of the runs that
    have no log.
    """

    read: int
    with_value: dict[str, int]
    flaws: list[str]
    without_log: list[str]


def measured(
    texts: Sequence[str], printed: bytes, caller: Isolation
) -> tuple[dict[str, float | None], list[str]]:
    """Return the value of each measure (`NAME=REGEX`), None if there is none, and what went wrong.

    Each is evaluated in a separate process. Raises `supervise.Abandoned`.
    """
    text = printed.decode(errors="replace")
    values: dict[str, float | None] = {}
    flaws = []
    for measure in map(Measure.checked, texts):
        values[measure.name], flaw = _value(measure, text, caller)
        flaws += [flaw] if flaw else []
    return values, flaws


def _value(measure: Measure, text: str, caller: Isolation) -> tuple[float | None, str]:
    def evaluated() -> bytes:
        return msgspec.msgpack.encode(measure.value(text))

    ending = caller.call(f"reading measure {measure.name}", evaluated, LIMITS)
    if ending.outcome is Outcome.FINISHED:
        return msgspec.msgpack.decode(ending.payload, type=float | None), ""
    if ending.outcome is Outcome.TIMEOUT:
        why = f"its regular expression takes more than {LIMITS.time_s:g} s on this output"
        return None, f"measure '{measure.name}' was not read: {why}"
    return None, ending.message


def remeasure(
    store: Store,
    texts: Sequence[str],
    selected_ids: Collection[str] | None = None,
    tracked: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> Remeasured:
    """Add measures (`NAME=REGEX`) to the records of all runs that have a log, or only of the
    selected ones. Each replaces an earlier one of its name. `tracked` shows how far it is.

    Raises `InputError` for a measure that is not valid, for a log that is damaged, and if no run
    has a log.
    """
    names = [measure.name for measure in measures.parse_all(texts)]
    recorded = store.frame(columns=["run_id"])["run_id"].to_list()
    selection = set(recorded if selected_ids is None else selected_ids)
    chosen = [run_id for run_id in recorded if run_id in selection]
    logs = set(store.logs())
    logged = [run_id for run_id in chosen if run_id in logs]
    if not logged:
        raise InputError("no run has a log: measure with `keep_output=True` `fresh=True`")
    counts, flaws, caller = dict.fromkeys(names, 0), dict[str, None](), Isolation()
    for run_id in tracked(logged):
        for record in store.records([run_id]):
            values, new_flaws = measured(texts, store.log(run_id), caller)
            store.set_measures(_with(record, values, new_flaws))
            flaws |= dict.fromkeys(new_flaws)
            for name in names:
                counts[name] += values[name] is not None
    without_log = [run_id for run_id in chosen if run_id not in logs]
    return Remeasured(len(logged), counts, list(flaws), without_log)


def _with(record: Record, values: dict[str, float | None], flaws: list[str]) -> Record:
    merged = {**(record.measures or {}), **values}
    if flaw := measures.flaw(merged):
        raise InputError(f"run {record.run_id} would have {flaw}")
    # What an earlier pattern of the same name could not read is no longer true.
    about = tuple(f"measure '{name}' " for name in values)
    other_notes = (
        part for part in record.message.split("; ") if part and not part.startswith(about)
    )
    return replace(record, measures=merged, message=printable("; ".join([*other_notes, *flaws])))
