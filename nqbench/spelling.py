"""Names that people type: found whatever their case, or else the nearest one is suggested."""

import difflib
from collections.abc import Iterable

from nqbench.errors import InputError


def find(name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant: this one, or else the only one that differs from it in case or
    has `-` for `_`.

    >>> find("CP_SAT", ["cp-sat", "clasp"])
    'cp-sat'
    """
    every = list(known)
    if name in every:
        return name
    alike = [each for each in every if _folded(each) == _folded(name)]
    return alike[0] if len(alike) == 1 else None


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, or begins with it.

    >>> nearest("Cactuss", ["cactus", "phases"])
    'cactus'
    """
    every = {_folded(each): each for each in known}
    typed = _folded(name)
    close = difflib.get_close_matches(typed, every, n=1)
    begins = [each for each in every if typed and each.startswith(typed)]
    return next((every[each] for each in (*close, *begins)), None)


def suggestion(name: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown name: the nearest one, or the list of all."""
    every = list(known)
    meant = nearest(name, every)
    return f"did you mean '{meant}'?" if meant else f"choose from {', '.join(every)}"


def chosen(kind: str, name: str, known: Iterable[str]) -> str:
    """The known name that is meant, as `find` has it. Raises `InputError` with a suggestion."""
    every = list(known)
    meant = find(name, every)
    if meant is None:
        raise InputError(f"unknown {kind} '{name}': {suggestion(name, every)}")
    return meant


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")
