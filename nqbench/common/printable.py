"""Makes texts of others, such as messages of solvers and names of files, safe: to print, and to
write into programs in Python and commands of a shell.
"""

import json
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
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


def as_python(text: str) -> str:
    r"""A text as Python, in double quotes if it can be shown.

    >>> print(as_python('a "b"'), as_python("new\nline"))
    "a \"b\"" 'new\nline'
    """
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else repr(text)


def as_docstring(text: str) -> str:
    r"""A text with what would end a docstring, or cannot be in one, escaped.

    >>> print(as_docstring("a, b\x1b"))
    a, b\x1b
    """
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in escaped)


def as_word(text: str) -> str:
    r"""A text as one word of a shell, which may be the name of a file in any encoding.

    >>> print(as_word("it's"), as_word("new\nline"))
    'it'"'"'s' $'new\012line'
    """
    if text.isprintable():
        return shlex.quote(text)
    # For Bash, Zsh and KornShell: others have no way to write every byte on one line.
    return f"$'{''.join(map(_escape_byte, os.fsencode(text)))}'"


def as_command(words: Iterable[str]) -> str:
    """Words as the line of a shell."""
    return " ".join(map(as_word, words))


def _escape_byte(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\{byte:03o}"


def fill(word: str, values: Mapping[str, str]) -> str:
    """The word with each placeholder replaced by its value, in which none is looked for.

    >>> fill("--in={file} -n {n}", {"{file}": "a{n}.cnf", "{n}": "8"})
    '--in=a{n}.cnf -n 8'
    """
    if not values:
        return word
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match[0]], word)
