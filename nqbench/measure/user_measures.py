"""Reads measures from the output of a run."""

from collections.abc import Sequence

import msgspec

from nqbench.isolate import Caller
from nqbench.records.measures import LIMITS, Measure
from nqbench.vocabulary import Outcome


def measured(
    texts: Sequence[str], printed: bytes, caller: Caller
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


def _value(measure: Measure, text: str, caller: Caller) -> tuple[float | None, str]:
    def evaluated() -> bytes:
        return msgspec.msgpack.encode(measure.value(text))

    ending = caller.call(f"reading measure {measure.name}", evaluated, LIMITS)
    if ending.outcome is Outcome.FINISHED:
        return msgspec.msgpack.decode(ending.payload, type=float | None), ""
    if ending.outcome is Outcome.TIMEOUT:
        why = f"its regular expression takes more than {LIMITS.time_s:g} s on this output"
        return None, f"measure '{measure.name}' was not read: {why}"
    return None, ending.message
