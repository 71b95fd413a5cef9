"""What was written and judged before, in a file of the results folder: a line of JSON for each."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, Self, TypeVar

import msgspec

from nqbench.addons.grading.verdict import Formula, Verdict
from nqbench.common import files
from nqbench.common.errors import InputError

NAME: Final = "grades.jsonl"

_LARGEST: Final = 2**30
T = TypeVar("T")


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of both, by its key."""

    key: str
    formula: Formula | None = None
    verdict: Verdict | None = None


class Ledger:
    """Formulas by what wrote them, and verdicts by formula and what was asked. With `fresh`, what
    is there does not count. Each is stored at once, so that nothing is lost by Ctrl-C.

    Raises `InputError` if the file cannot be read or written.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self._path = folder / NAME
        self._formulas: dict[str, Formula] = {}
        self._verdicts: dict[str, Verdict] = {}
        if not fresh:
            for line in self._lines():
                self._note(line)

    def __enter__(self) -> Self:
        try:
            self._file: BinaryIO = self._path.open("ab")
        except OSError as error:
            raise InputError(f"cannot write {self._path}: {error.strerror}") from error
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def formula(self, key: str) -> Formula | None:
        """What was written for this key; None if nothing was tried."""
        return self._formulas.get(key)

    def verdict(self, key: str) -> Verdict | None:
        """What is known about a formula; None if it was not judged."""
        return self._verdicts.get(key)

    def keep_formula(self, key: str, formula: Formula) -> None:
        """Store what was written."""
        self._store(_Line(key, formula=formula))

    def keep_verdict(self, key: str, verdict: Verdict) -> None:
        """Store what is known about a formula."""
        self._store(_Line(key, verdict=verdict))

    def _store(self, line: _Line) -> None:
        self._note(line)
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()

    def _note(self, line: _Line) -> None:
        if line.formula is not None:
            self._formulas[line.key] = line.formula
        if line.verdict is not None:
            self._verdicts[line.key] = line.verdict

    def _lines(self) -> Iterator[_Line]:
        if not self._path.exists():
            return
        for text in files.content(self._path, _LARGEST).splitlines():
            # The last line may be half of one, and other versions may write other lines.
            with suppress(msgspec.DecodeError):
                yield msgspec.json.decode(text, type=_Line)
