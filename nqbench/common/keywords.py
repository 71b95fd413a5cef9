"""Suggests to who calls nqbench from Python what was meant, where Python does not: a keyword, or a
method in place of a module of its name.
"""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from types import ModuleType
from typing import Final, ParamSpec, TypeVar

from nqbench.common.errors import for_caller
from nqbench.common.spelling import nearest

P = ParamSpec("P")
T = TypeVar("T")

_MOST_LISTED: Final = 6
"""Of a function with more arguments, the help lists them better than a message."""

_OF_PROBLEMS: Final = dict.fromkeys(
    ("family", "families", "density", "densities", "instances"),
    "nqbench.problems_of('latin', '4..8')",
)
"""What gives the problems that an option of the command line asks for."""


def suggesting(function: Callable[P, T]) -> Callable[P, T]:
    """The function, whose `TypeError` for an unknown keyword suggests a known one, and whose
    `TypeError` for a value without a name says which name it needs.

    >>> @suggesting
    ... def measure(problem, *, backends=(), seed=0): ...
    >>> measure(8, backend="pyeda")
    Traceback (most recent call last):
    TypeError: measure() has no argument 'backend': did you mean 'backends'?
    >>> measure(n=8)
    Traceback (most recent call last):
    TypeError: measure() has no argument 'n': it has problem, backends, seed
    >>> measure(8, "pyeda")
    Traceback (most recent call last):
    TypeError: measure() takes only problem without a name: it has problem, backends, seed
    """
    known = signature(function).parameters
    names = [name for name in known if name != "self"]
    unnamed = [name for name in names if known[name].kind is Parameter.POSITIONAL_OR_KEYWORD]
    takes_any = any(each.kind is Parameter.VAR_POSITIONAL for each in known.values())
    most = len(unnamed) + ("self" in known)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean '{close}'?" if close else hint_of(names)
                if name in _OF_PROBLEMS and known.keys() & {"problem", "problems"}:
                    hint = f"write {_OF_PROBLEMS[name]} in place of the problems"
                message = f"{function.__name__}() has no argument '{name}': {hint}"
                raise for_caller(TypeError(message))
        if len(args) > most and not takes_any:
            first = " and ".join(unnamed) or "nothing"
            message = f"{function.__name__}() takes only {first} without a name: {hint_of(names)}"
            raise for_caller(TypeError(message))
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt as error:
            for_caller(error)
            raise

    def hint_of(names: Sequence[str]) -> str:
        if len(names) > _MOST_LISTED:
            return f"see help(nqbench.{function.__qualname__})"
        return f"it has {', '.join(names)}"

    return call


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
