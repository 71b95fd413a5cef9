"""Suggests the keyword that was meant, which Python does not."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from nqbench.common.spelling import nearest

P = ParamSpec("P")
T = TypeVar("T")


def suggesting(function: Callable[P, T]) -> Callable[P, T]:
    """The function, whose `TypeError` for an unknown keyword suggests a known one.

    >>> @suggesting
    ... def measure(backends=()): ...
    >>> measure(backend="pyeda")
    Traceback (most recent call last):
    TypeError: measure() has no argument 'backend': did you mean 'backends'?
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if kwargs:
            known = signature(function).parameters
            for name in kwargs:
                if name not in known:
                    close = nearest(name, known)
                    hint = f"did you mean '{close}'?" if close else f"see help({function.__name__})"
                    raise TypeError(f"{function.__name__}() has no argument '{name}': {hint}")
        return function(*args, **kwargs)

    return call
