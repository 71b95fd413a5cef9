"""Lists of families, encodings and backends, as kinds of values."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from nqbench.common import parsing
from nqbench.common.errors import InputError, UnavailableError
from nqbench.common.parsing import Kind
from nqbench.common.vocabulary import KEEP
from nqbench.plugins.from_file import name_of
from nqbench.plugins.loading import backend_names, encoding_names, family_names
from nqbench.revisions import spec


def expanded_revisions(names: Iterable[str]) -> list[str]:
    """The names, with one for each commit in place of those with several revisions. A repository
    that is missing is no mistake: its runs are unavailable.
    """
    every: list[str] = []
    for name in names:
        try:
            every += spec.expanded([name])
        except UnavailableError as error:
            if not spec.is_single(name):
                raise InputError(str(error)) from error
            every.append(name)
    return every


def components(installed_names: Callable[[], Iterable[str]]) -> Kind:
    """See `parsing.components`; in Python, a class in a file is its name, too."""
    kind = parsing.components(installed_names)

    def read_names(argument: str, value: Any) -> Any:
        if isinstance(value, type):
            value = [value]
        if isinstance(value, list | tuple):
            value = [name_of(each) if isinstance(each, type) else each for each in value]
        return kind.read(argument, value)

    return replace(kind, read=read_names)


FAMILIES: Final = components(family_names)
ENCODINGS: Final = components(encoding_names)
BACKENDS: Final = replace(components(backend_names), expand=expanded_revisions)
SCHEMES: Final = components(lambda: [KEEP, *encoding_names()])
"""At-most-one schemes of formulas."""
