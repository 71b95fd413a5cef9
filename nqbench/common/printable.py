"""Makes untrusted text, such as messages of solvers and names of files, safe to print."""

import re
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 1000
"""The longest message that is kept, in characters."""

_ELLIPSIS: Final = " ..."

_NUMBER: Final = re.compile(r"\d+")


def printable(text: str, longest: int = LONGEST) -> str:
    r"""Return the text on one line, with control characters escaped, shortened to `longest`.

    >>> printable("solver\x1b[2J says\nno")
    'solver\\x1b[2J says no'
    """
    line = " ".join(text[: longest + 1].split("\n")).rstrip()
    if not line.isprintable():
        line = "".join(c if c.isprintable() else _escape(c) for c in line)
    return line if len(line) <= longest else line[: longest - len(_ELLIPSIS)] + _ELLIPSIS


def listed(texts: Sequence[str], most: int = 4, between: str = ", ") -> str:
    """Return the first of these texts, and how many others there are.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{between.join(map(printable, texts[:most]))}{more}"


def without_numbers(text: str) -> str:
    """Return the text without its digits: what messages have in common that differ in numbers only.

    >>> without_numbers("index 99 of 4") == without_numbers("index 100 of 5")
    True
    """
    return _NUMBER.sub("", text)


def as_utf8(text: str) -> str:
    r"""Return a text that can be stored: bytes of a name that are not UTF-8 are spelled out.

    >>> as_utf8("caf\udce9.cnf")
    'caf\\xe9.cnf'
    """
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return " " if character in "\t\r" else ascii(character)[1:-1]
