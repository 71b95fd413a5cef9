"""Writes tables as CSV. A spreadsheet that opens one takes no text in it for a formula."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

FORMULA: Final = r"^'*[=+\-@\t\r\n＝＋－＠]"  # noqa: RUF001 - some spreadsheets take the wide ones
"""Matches a text that gets an apostrophe in front: spreadsheets would execute it, or it would lose
its own apostrophe when it is read again.
"""

QUOTED_FORMULA: Final = rf"^'({FORMULA[1:]})"
"""Matches a text with that apostrophe. What follows it is the text."""

_FORMULA: Final = re.compile(FORMULA)
_END: Final = "\r\n"


def to_csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """The values of these columns as CSV, unrounded, with `true` and `false` as in JSON. An empty
    field is a value that is unknown.

    >>> print(to_csv(["name", "is_best"], [{"name": "=1+1", "is_best": True}]), end="")
    name,is_best
    '=1+1,true
    """
    file = _Lines()
    writer = csv.writer(file, lineterminator=_END)
    writer.writerow(map(_field, names))
    writer.writerows([_field(row[name]) for name in names] for row in rows)
    return file.getvalue()


class _Lines(io.StringIO):
    """Takes lines that also end with a carriage return, so that each in a value is quoted."""

    def write(self, line: str) -> int:
        """Write a line without the carriage return at its end."""
        return super().write(line.removesuffix(_END) + "\n")


def _field(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and _FORMULA.match(value):
        return f"'{value}"
    return value
