"""The methods of `Results` that add-ons declare, by entry points called `Results.NAME`.

For type checkers, `tools/generate.py` writes them into `added_methods.pyi`.
"""

from collections.abc import Iterable
from types import MethodType
from typing import Any, Final

from nqbench.plugins.declared import FUNCTIONS, declared

_CLASS: Final = "Results."


class AddedMethods:
    """Finds a method that the class itself does not have among those of add-ons."""

    def __getattr__(self, name: str) -> Any:
        entry = declared(FUNCTIONS).get(_CLASS + name)
        if entry is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return MethodType(entry.load(), self)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *added_methods()]


def added_methods() -> list[str]:
    """The names of the methods of add-ons, sorted."""
    return [name.removeprefix(_CLASS) for name in declared(FUNCTIONS) if name.startswith(_CLASS)]
