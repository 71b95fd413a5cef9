"""Text of strangers, such as messages of solvers and names of files, made fit to be shown."""

from typing import Final

LONGEST: Final = 1000
"""Characters that are kept of a message."""

_ELLIPSIS: Final = " ..."


def printable(text: str, longest: int = LONGEST) -> str:
    r"""The text in one line without characters that a terminal would obey, and not too long.

    >>> printable("solver\x1b[2J says\nno")
    'solver\\x1b[2J says no'
    """
    line = " ".join(text[: longest + 1].split("\n")).rstrip()
    if not line.isprintable():
        line = "".join(c if c.isprintable() else _escaped(c) for c in line)
    return line if len(line) <= longest else line[: longest - len(_ELLIPSIS)] + _ELLIPSIS


def _escaped(character: str) -> str:
    return " " if character in "\t\r" else ascii(character)[1:-1]
