"""Values that users give, as text on a command line, in a TOML file, or as arguments in Python."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Final, Self, TypeVar

import msgspec

from nqbench.common import files
from nqbench.common.errors import InputError, at
from nqbench.common.limits import parse_count, parse_duration, parse_size
from nqbench.common.spelling import split_names, without_escapes


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `number` of `parts`, counted from 1.

    >>> str(Shard.parse("3/20"))
    '3/20'
    """

    number: int
    parts: int

    def __str__(self) -> str:
        return f"{self.number}/{self.parts}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a text such as '3/20'. Raises `InputError`."""
        match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text, re.ASCII)
        if match is None:
            raise InputError(f"'{text:.30}' is no part: write for instance 3/20")
        return cls._checked(int(match[1]), int(match[2]))

    @classmethod
    def read(cls, argument: str, value: Any) -> Self:
        """Read a text such as '3/20', or two numbers; a part stays. Raises `InputError`."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls.parse(value)
        try:
            number, parts = value
        except (TypeError, ValueError):
            number = parts = None
        if type(number) is not int or type(parts) is not int:
            raise InputError(f"{argument} is {value!r:.40}: write for instance (3, 20)")
        return cls._checked(number, parts)

    @classmethod
    def _checked(cls, number: int, parts: int) -> Self:
        if not 1 <= number <= parts:
            raise InputError(f"there is no part {number} of {parts}: parts are 1 to {parts}")
        return cls(number, parts)


_MOST: Final = 2**63 - 1
NamesInFile = str | Annotated[list[str], msgspec.Meta(min_length=1)]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value. `read` takes the name of an argument and what was given for it in Python,
    and `parse` what was typed; both raise `InputError`. `in_file` is what a TOML file may say, as a
    type of msgspec; with `has_units`, `parse` reads the text of that. `shown` writes a value as it
    is typed. `words` are all that can be typed, if they are few, `bounds` those of a whole number,
    and `several` means that a value is a list, for which `parse` reads one element. If the elements
    are names of components, `known` returns those that are installed, and `expand` the names that
    are meant by some that are read.
    """

    name: str
    read: Callable[[str, Any], Any]
    parse: Callable[[str], Any] = str
    in_file: Any = str
    has_units: bool = False
    shown: Callable[[Any], str] = str
    words: tuple[str, ...] = ()
    several: bool = False
    bounds: tuple[int, int | None] | None = None
    known: Callable[[], Iterable[str]] | None = None
    expand: Callable[[Iterable[str]], list[str]] = list

    def meant(self, argument: str, value: Any) -> Any:
        """What is meant by a value in Python: what `read` returns, expanded."""
        read = self.read(argument, value)
        return self.expand(read) if self.several else read


def name_list(argument: str, value: Any) -> list[str]:
    """Names from a list, or from one text that separates them by commas."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return _texts(argument, value, "names")


def _texts(argument: str, value: Any, noun: str = "texts") -> list[str]:
    texts = list(value) if isinstance(value, Iterable) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise InputError(f"{argument} is {value!r:.40}: give a list of {noun}")
    return texts


def components(installed_names: Callable[[], Iterable[str]]) -> Kind:
    """Names of components, perhaps with parameters, in a list or in one text, in which commas
    separate names as `split_names` has it. `known` returns those that are installed.
    """

    def read_names(argument: str, value: Any) -> list[str]:
        if not isinstance(value, str):
            return [without_escapes(name.strip()) for name in _texts(argument, value, "names")]
        if names := split_names([value], installed_names()):
            return names
        raise InputError(f"{argument} is {value!r:.40}: give at least one name")

    return Kind(
        "name", read_names, in_file=NamesInFile, shown=",".join, several=True, known=installed_names
    )


def texts(argument: str, value: Any) -> list[str]:
    """Texts from a list, or one text."""
    return [value] if isinstance(value, str) else _texts(argument, value)


def parse_share(text: str) -> float:
    """The share in a percentage: 0.1 in '10%'. Raises `InputError`."""
    match = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)\s*%", text.strip())
    if match is None:
        raise InputError(f"'{text}' is not a percentage: write for instance 10%")
    return float(match[1]) / 100


def whole_number(argument: str, value: Any, least: int = 1) -> int:
    """A whole number from `least`, which may be a float such as 1e6. Raises `InputError`."""
    if not _is_whole(value) or value < least:
        raise InputError(f"{argument} is {value!r:.40}: give a whole number from {least}")
    return int(value)


def work(argument: str, value: Any) -> int:
    """A limit of conflicts or propagations, as a number or as text such as '1e6'."""
    return parse_count(value) if isinstance(value, str) else whole_number(argument, value)


def seed(argument: str, value: Any) -> int:
    """A whole number of 64 bits."""
    if not _is_whole(value) or abs(value) > _MOST:
        raise InputError(f"{argument} is {value!r:.40}: give a whole number of at most 64 bits")
    return int(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value % 1 == 0


def yes_or_no(argument: str, value: Any) -> bool:
    """True or False. Raises `InputError` for anything else."""
    if not isinstance(value, bool):
        raise InputError(f"{argument} is {value!r:.40}: give True or False")
    return value


def duration(argument: str, value: Any) -> float:
    """Seconds, given as a number or as text with a unit. Raises `InputError`."""
    if isinstance(value, Real) and not isinstance(value, bool):
        # Not with an exponent, which no duration has.
        return _parse_argument(argument, parse_duration, f"{float(value):f}s")
    return _parse_argument(argument, parse_duration, str(value))


def byte_count(argument: str, value: Any) -> int:
    """Bytes, given as a number or as text with a unit. Raises `InputError`."""
    is_number = isinstance(value, Integral) and not isinstance(value, bool)
    return _parse_argument(argument, parse_size, f"{int(value)}B" if is_number else str(value))


def _parse_argument(argument: str, parse: Callable[[str], T], text: str) -> T:
    with at(argument):
        return parse(text)


def path(value: Any) -> Path:
    """A path. Raises `InputError` for what is not one, and for a name that the system refuses."""
    if not isinstance(value, str | PathLike):
        raise InputError(f"{value!r:.40} is not a path")
    return files.named(value)


def _parse_seed(text: str) -> int:
    # All numbers of 18 digits have at most 64 bits, which is what records and solvers take.
    if re.fullmatch(r"-?\d{1,18}", text) is None:
        raise InputError(f"'{text[:30]}' is not a seed: write a whole number of at most 18 digits")
    return int(text)


def _parse_address(text: str) -> str:
    if re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", text) is None:
        raise InputError(
            f"'{text}' is not the address of a scheduler: write for instance tcp://node1:8786"
        )
    return text


def choice(words: type[StrEnum] | Sequence[str]) -> Kind:
    """One of these words, or a member of this enumeration, which may be given as its word."""
    kind = words if isinstance(words, type) else str
    every = tuple(map(str, words))

    def read_word(argument: str, value: Any) -> str:
        if value not in every:
            raise InputError(f"{argument} is {value!r:.40}: choose from {', '.join(every)}")
        return kind(value)

    return Kind("word", read_word, kind, in_file=kind, words=every)


def whole(least: int, most: int | None = None) -> Kind:
    """A whole number between these."""

    def read_number(argument: str, value: Any) -> int:
        number = whole_number(argument, value, least)
        if most is not None and number > most:
            raise InputError(f"{argument} is {number}: give a whole number up to {most}")
        return number

    return Kind("integer range", read_number, int, bounds=(least, most))


FLAG: Final = Kind("flag", yes_or_no, in_file=bool)
COUNT: Final = Kind("count", whole_number, parse_count, Annotated[int, msgspec.Meta(ge=1)])
WORK: Final = Kind("count", work, parse_count, int | float | str, has_units=True)
DURATION: Final = Kind(
    "duration", duration, parse_duration, str | int | float, has_units=True, shown="{:g}s".format
)
SIZE: Final = Kind(
    "size", byte_count, parse_size, has_units=True, shown=lambda value: f"{value // 2**30}GiB"
)
SEED: Final = Kind("integer", seed, _parse_seed, Annotated[int, msgspec.Meta(ge=-_MOST, le=_MOST)])
TEXTS: Final = Kind("text", texts, in_file=list[str], several=True)
SHARD: Final = Kind("part", Shard.read, Shard.parse)
NUMBER: Final = Kind("float", lambda _, value: value, float)
SHARE: Final = Kind(
    "percentage",
    lambda _, value: parse_share(value) if isinstance(value, str) else value,
    parse_share,
)
TEXT: Final = Kind("text", lambda _, value: str(value))
PATH: Final = Kind("path", lambda _, value: path(value), path)
FILE: Final = replace(PATH, name="file")
FOLDER: Final = replace(PATH, name="directory")
ADDRESS: Final = Kind("address", lambda _, value: _parse_address(str(value)), _parse_address)
