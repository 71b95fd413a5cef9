"""Rooms of nqbench that have the name of a command."""

import sys
from types import ModuleType

from nqbench.common.errors import for_caller


class _Room(ModuleType):
    """A module that says where the function of its name is, if somebody looks for that."""

    def _hint(self) -> str:
        command = self.__name__.rpartition(".")[2]
        return f"'{self.__name__}' is a module: write nqbench.Results('results').{command}()"

    def __repr__(self) -> str:
        return f"<{self._hint()}>"

    def __call__(self, *_: object, **__: object) -> None:
        """Raise `TypeError` that names the method."""
        raise for_caller(TypeError(self._hint()))


def hint_at_method(room: str) -> None:
    """Let the module of this name, when it is shown or called, name the method of `Results`.

    >>> import nqbench.summary
    >>> nqbench.summary()
    Traceback (most recent call last):
    TypeError: 'nqbench.summary' is a module: write nqbench.Results('results').summary()
    """
    sys.modules[room].__class__ = _Room
