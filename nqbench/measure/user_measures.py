"""Reads measures from the output of a run, when it ends or later from its log."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
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


def runs_to_measure(
    store: Store, selected_ids: Collection[str] | None = None
) -> tuple[list[str], list[str]]:
    """The ids of the runs that have a log, and of those that have none; only of the
    `selected_ids`.

    Raises `InputError` if none has a log.
    """
    recorded = store.frame(columns=["run_id"])["run_id"].to_list()
    if selected_ids is not None:
        selection = set(selected_ids)
        recorded = [run_id for run_id in recorded if run_id in selection]
    logged = set(store.logs())
    if not logged.intersection(recorded):
        raise InputError("no run has a log: measure with `keep_output=True`")
    return (
        [run_id for run_id in recorded if run_id in logged],
        [run_id for run_id in recorded if run_id not in logged],
    )


def remeasure(
    store: Store, texts: Sequence[str], run_ids: Iterable[str], without_log: Sequence[str]
) -> Remeasured:
    """Add measures (`NAME=REGEX`) to the records of these runs, from their logs. Each replaces an
    earlier one of its name. `without_log` are other runs, which stay as they are.

    Raises `InputError` for a measure that is not valid, and for a log that is damaged.
    """
    names = [measure.name for measure in measures.parse_all(texts)]
    counts, flaws = dict.fromkeys(names, 0), dict[str, None]()
    record_count, caller = 0, Isolation()
    for run_id in run_ids:
        for record in store.records([run_id]):
            values, new_flaws = measured(texts, store.log(run_id), caller)
            store.set_measures(_with(record, values, new_flaws))
            record_count += 1
            flaws |= dict.fromkeys(new_flaws)
            for name in names:
                counts[name] += values[name] is not None
    return Remeasured(record_count, counts, list(flaws), list(without_log))


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
