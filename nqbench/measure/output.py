"""Reads measures from the output of a run."""

from collections.abc import Sequence
from typing import Final

import msgspec

from nqbench.isolate import Caller
from nqbench.limits import Limits
from nqbench.records.measures import Measure
from nqbench.vocabulary import Outcome

_LIMITS: Final = Limits(time_s=2.0, memory_bytes=2**30)
"""Limits of one regular expression: some take for ever on some outputs."""


def measured(
    texts: Sequence[str], printed: bytes, caller: Caller
) -> tuple[dict[str, float | None], list[str]]:
    """Return the value of each measure (`NAME=REGEX`), None if there is none, and what went wrong.

    Each is evaluated in a separate process. Raises `supervise.Abandoned`.
    """
    text = printed.decode(errors="replace")
    values: dict[str, float | None] = {}
    flaws = []
    for measure in map(Measure.parse, texts):
        values[measure.name], flaw = _value(measure, text, caller)
        flaws += [flaw] if flaw else []
    return values, flaws


def _value(measure: Measure, text: str, caller: Caller) -> tuple[float | None, str]:
    def evaluated() -> bytes:
        return msgspec.msgpack.encode(measure.value(text))

    ending = caller.call(f"reading measure {measure.name}", evaluated, _LIMITS)
    if ending.outcome is Outcome.FINISHED:
        return msgspec.msgpack.decode(ending.payload, type=float | None), ""
    if ending.outcome is Outcome.TIMEOUT:
        why = f"its regular expression takes more than {_LIMITS.time_s:g} s on this output"
        return None, f"measure '{measure.name}' was not read: {why}"
    return None, ending.message
