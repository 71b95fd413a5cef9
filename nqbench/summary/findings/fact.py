"""A fact that records show, from which its sentence is written."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import ParamSpec

P = ParamSpec("P")


class Fact:
    """What records show: the values that a function writes a sentence from, by the names of its
    parameters. `kind` is the name of that function, which `str` calls.
    """

    def __init__(self, write: Callable[P, str], *values: P.args, **named: P.kwargs) -> None:
        self.kind = write.__name__
        self.values = signature(write).bind(*values, **named).arguments
        self._write = partial(write, *values, **named)

    def __str__(self) -> str:
        return self._write()
