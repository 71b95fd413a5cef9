"""Replaces placeholders, such as `{n}`, in the words of a command."""

import re
from collections.abc import Mapping


def fill(word: str, values: Mapping[str, str]) -> str:
    """The word with each placeholder replaced by its value, in which none is looked for.

    >>> fill("--in={file} -n {n}", {"{file}": "a{n}.cnf", "{n}": "8"})
    '--in=a{n}.cnf -n 8'
    """
    if not values:
        return word
    return re.sub("|".join(map(re.escape, values)), lambda match: values[match[0]], word)
