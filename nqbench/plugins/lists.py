"""Lists of families, encodings and backends, as kinds of values."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from nqbench.common import parsing
from nqbench.common.parsing import Kind
from nqbench.common.vocabulary import FORMER_AS_IT_IS
from nqbench.plugins import name_rules
from nqbench.plugins.from_file import is_definition, name_of
from nqbench.plugins.loading import backend_names, encoding_names, family_names


def components(installed_names: Callable[[], Iterable[str]]) -> Kind:
    """See `parsing.components`; in Python, a class or function in a file is its name, too."""
    kind = parsing.components(installed_names)

    def read_names(argument: str, value: Any) -> Any:
        if is_definition(value):
            value = [value]
        if isinstance(value, list | tuple):
            value = [name_of(each) if is_definition(each) else each for each in value]
        return kind.read(argument, value)

    return replace(kind, read=read_names)


FAMILIES: Final = components(family_names)
ENCODINGS: Final = components(encoding_names)
BACKENDS: Final = replace(components(backend_names), expand=name_rules.expanded)
SCHEMES: Final = components(lambda: [*encoding_names(), FORMER_AS_IT_IS])
"""At-most-one schemes of formulas."""

FAMILY, ENCODING, BACKEND = (
    replace(kind, several=False) for kind in (FAMILIES, ENCODINGS, BACKENDS)
)
"""One of each."""
