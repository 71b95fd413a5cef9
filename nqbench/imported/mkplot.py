"""Reads the JSON files of mkplot (A. Ignatiev): one for each solver, with the time of each instance
and whether it was solved.
"""

from typing import Any

import msgspec
import polars as pl

from nqbench.errors import InputError
from nqbench.vocabulary import Answer, Outcome


class _Instance(msgspec.Struct):
    status: bool
    rtime: float


class _File(msgspec.Struct):
    preamble: dict[str, Any]
    stats: dict[str, _Instance]


def read(content: bytes) -> pl.DataFrame:
    """What each instance states. Raises `InputError` if this is no file of mkplot."""
    try:
        found = msgspec.json.decode(content, type=_File, strict=False)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(f"it is not a file of mkplot: {error}") from error
    program = found.preamble.get("prog_alias") or found.preamble.get("program")
    if not isinstance(program, str) or not program:
        raise InputError("its preamble names no program")
    stats = found.stats.values()
    return pl.DataFrame(
        {
            "instance": list(found.stats),
            "solve_s": [each.rtime for each in stats],
            "answer": [str(Answer.UNSTATED) if each.status else None for each in stats],
            # An unsolved instance reached the limit, or else its solver failed: see `statements`.
            "outcome": [str(Outcome.FINISHED) if each.status else None for each in stats],
        },
        schema=dict.fromkeys(("instance", "answer", "outcome"), pl.String)
        | {"solve_s": pl.Float64},
    ).with_columns(backend=pl.lit(program), harness=pl.lit("mkplot"))
