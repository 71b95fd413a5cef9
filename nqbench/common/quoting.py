"""Quotes texts of others, such as names of files, for programs in Python and for shells."""

import json
import os
import shlex
from collections.abc import Iterable


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
