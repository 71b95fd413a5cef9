"""Reads the JSON files of mkplot (A. Ignatiev): one for each solver, with the time of each instance
and whether it was solved.
"""

from typing import Any, Final

import msgspec
import polars as pl

from nqbench.addons.importing import cells
from nqbench.addons.importing.base import Format, ResultFile
from nqbench.common import files
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Outcome
from nqbench.records import formats


class _Instance(msgspec.Struct):
    status: Any = None
    rtime: Any = None


class _File(msgspec.Struct):
    preamble: dict[str, Any]
    stats: dict[str, _Instance]


_SOLVED: Final = {"true": True, "1": True, "false": False, "0": False}
"""What a file may say as `status`."""


class Mkplot(Format):
    """A JSON file for each solver."""

    meaning = "JSON of mkplot, one file for each solver"
    reference = "https://github.com/alexeyignatiev/mkplot"
    suffixes = (".json",)

    def recognises(self, file: ResultFile) -> bool:
        """Whether it has a preamble and statistics."""
        return super().recognises(file) and {"preamble", "stats"} <= file.keys

    def read(self, file: ResultFile) -> pl.DataFrame:
        """What each instance states. Raises `InputError` if this is no file of mkplot."""
        return read(file.content)


def read(content: bytes) -> pl.DataFrame:
    """What each instance states. Raises `InputError` if this is no file of mkplot."""
    try:
        document = msgspec.json.decode(files.decoded(content), type=_File)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        reason = formats.too_large(content) or error
        raise InputError(f"it is not a file of mkplot: {reason}") from error
    program = document.preamble.get("prog_alias") or document.preamble.get("program")
    if not isinstance(program, str) or not program:
        raise InputError("its preamble names no program")
    stats = document.stats.values()
    times = cells.texts_of("rtime", (entry.rtime for entry in stats))
    status = cells.texts_of("status", (entry.status for entry in stats))
    for column in (times, status):
        if column.has_nulls():
            rows = column.is_null().arg_true().to_list()
            raise cells.RowsError(rows, f"{column.name} is missing")
    was_solved = status.str.to_lowercase().replace_strict(
        list(_SOLVED), list(_SOLVED.values()), default=None, return_dtype=pl.Boolean
    )
    if was_solved.has_nulls():
        cells.refuse(status, was_solved.is_null(), "which is neither true nor false")
    is_solved = pl.lit(was_solved)
    return pl.DataFrame({"instance": cells.texts_of("instance", document.stats)}).with_columns(
        solve_s=cells.numbers(times, pl.Float64()),
        # An unsolved instance reached the limit, or else its solver failed: see `statements`.
        outcome=pl.when(is_solved).then(pl.lit(str(Outcome.FINISHED))),
        backend=pl.lit(program),
        harness=pl.lit("mkplot"),
    )
