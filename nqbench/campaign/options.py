"""How the arguments of a function are given on a command line: declared with the function, so that
its command has the same names, types and defaults.

    @options(search=Option(parsing.choice(KOrder), "The order of the search."))
    def optimum(family, *, search=None): ...
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Final, ParamSpec, TypeVar

from nqbench.common import parsing
from nqbench.common.parsing import Kind
from nqbench.records.settings import Section, Setting

P = ParamSpec("P")
T = TypeVar("T")

_DECLARED: Final = "options"

OPTION_OF: Final[dict[str, str]] = {}
"""The options of the arguments that functions declare, by the names of these, for messages. Only
functions that were imported are known, among them the one that is called.
"""

UNIT_HELP: Final = (
    "Count all problems with one value of this column as one piece of evidence in tests and "
    "intervals, since they may be alike: {columns}.  [default: each problem]"
)


@dataclass(frozen=True, slots=True)
class Option:
    """An option for one argument. Without `names`, it is called as the argument is. `usual` is what
    the help shows as the default where that of the function is None.
    """

    kind: Kind
    help: str
    names: tuple[str, ...] = ()
    metavar: str | None = None
    usual: str | None = None
    is_required: bool = False
    section: Section = Section.OTHERS


def options(**declared: Option | Setting) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Declare the options of these arguments of a function, in the order of the help. Their
    defaults are those of the function.
    """

    def declare(function: Callable[P, T]) -> Callable[P, T]:
        defaults = _defaults(function)
        for argument, option in declared.items():
            assert argument in defaults, f"{function.__name__} has no argument {argument}"
            if isinstance(option, Setting) and (default := defaults[argument]) is not None:
                assert option.kind.meant(argument, default) == option.default, argument
            names = (option.option,) if isinstance(option, Setting) else option.names
            usual = f"--{argument.replace('_', '-')}"
            OPTION_OF[argument] = next((name for name in names if name.startswith("--")), usual)
        vars(function)[_DECLARED] = declared
        return function

    return declare


def declared_options(
    function: Callable[..., object],
) -> list[tuple[str, Option | Setting, object]]:
    """The arguments of a function with their options and defaults. None stands for no default."""
    declared: Mapping[str, Option | Setting] = vars(function).get(_DECLARED, {})
    defaults = _defaults(function)
    return [(argument, option, defaults[argument]) for argument, option in declared.items()]


def _defaults(function: Callable[..., object]) -> dict[str, object]:
    return {
        name: None if parameter.default is Parameter.empty else parameter.default
        for name, parameter in signature(function).parameters.items()
    }


def limit_options(
    whose: str, more: str = "", *, time: str | None = None, memory: str | None = None
) -> dict[str, Option]:
    """The options of `time_limit` and `memory_limit`, the limits of such a process, with more of
    the help. `time` and `memory` are what None stands for.
    """
    text = f"Wall-clock time of {whose}.{more}"
    return {
        "time_limit": Option(parsing.DURATION, text, usual=time),
        "memory_limit": Option(parsing.SIZE, f"Memory of {whose}.", usual=memory),
    }
