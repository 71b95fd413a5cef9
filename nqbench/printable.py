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
    cut = text if len(text) <= longest else text[: longest - len(_ELLIPSIS)] + _ELLIPSIS
    line = " ".join(cut.split("\n")).rstrip()
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else _escaped(c) for c in line)


def _escaped(character: str) -> str:
    return " " if character in "\t\r" else ascii(character)[1:-1]
