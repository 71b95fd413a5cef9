"""The columns of records, of sessions and of environments: what each may hold.

All is derived from the fields of the dataclass: their types, and the annotations of `column_types`.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from types import NoneType
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from nqbench.common.column_types import LARGEST_INTEGER, Text, Within
from nqbench.records.record import Record

LONGEST_TEXT: Final = 10_000
"""The longest text of a column, in characters."""

KINDS: Final[dict[type, str]] = {int: "int", float: "float", str: "text", list: "list of int"}
"""The types of columns, in words."""


@dataclass(frozen=True, slots=True)
class Domain:
    """What a column may hold: int, float, str, or list (of int). `required`: each row has a value.
    `words`: the only possible values, if there are any. Numbers are from `least` to `most`, and
    `finest` at least if they are not 0.
    """

    name: str
    kind: type
    required: bool
    words: frozenset[str] = frozenset()
    least: float = -math.inf
    most: float = math.inf
    finest: float = 0.0
    shortest: int = 0
    pattern: str = ""

    def flaw(self, value: object) -> str | None:
        """Why a row cannot have this value, in words after the name; None if it can."""
        if value is None:
            return "is missing" if self.required else None
        if not self.fits(value):
            return f"is {shown(value)}, which is not of type {KINDS[self.kind]}"
        return None if self._is_possible(value) else f"is {shown(value)}, which is not allowed"

    def misfit(self, values: Sequence[object]) -> int | None:
        """The position of the first value that is not of the column's type; None if all are."""
        types = set(map(type, values)) - {NoneType}
        if types <= {self.kind} and (self.kind in (str, float) or self._are_integers(values)):
            return None  # the usual case, without a call for each value
        return next((at for at, v in enumerate(values) if v is not None and not self.fits(v)), None)

    def fits(self, value: object) -> bool:
        """Whether a value is of the column's type. A float may be written as a whole number."""
        if self.kind is str:
            return isinstance(value, str)
        if self.kind is list:
            return isinstance(value, list) and all(map(_is_integer, value))
        return _is_integer(value) or (self.kind is float and type(value) is float)

    def _are_integers(self, values: Sequence[Any]) -> bool:
        """Whether the values of an integer column are all of 64 bits."""
        if self.kind is not int:
            return False
        integers = [value for value in values if value is not None]
        return not integers or (_is_integer(min(integers)) and _is_integer(max(integers)))

    def _is_possible(self, value: Any) -> bool:
        if self.words:
            return value in self.words
        if self.kind is str:
            matches = re.fullmatch(self.pattern, value) if self.pattern else True
            return (
                bool(matches) and self.shortest <= len(value) <= LONGEST_TEXT and "\0" not in value
            )
        if self.kind is list:
            return True
        is_within = math.isfinite(value) and self.least <= value <= self.most
        return is_within and (value == 0 or abs(value) >= self.finest)


def shown(value: object) -> str:
    """The value in at most 40 characters; a number may have millions of digits."""
    if type(value) is int and not _is_integer(value):
        return f"a number of {value.bit_length()} bits"
    return f"{value!r:.40}"


def _is_integer(value: object) -> bool:
    return type(value) is int and -LARGEST_INTEGER <= value <= LARGEST_INTEGER


def declared(of: type) -> dict[str, Domain]:
    """The columns of a dataclass: its fields of a plain type."""
    hints = get_type_hints(of, include_extras=True)
    domains = (_domain(field.name, hints[field.name]) for field in fields(of))
    return {domain.name: domain for domain in domains if domain}


def _domain(name: str, hint: object) -> Domain | None:
    choices = _choices(hint)
    required = NoneType not in choices
    kind, *annotated = _plain(next(choice for choice in choices if choice is not NoneType))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return Domain(name, str, required, words=frozenset(map(str, kind)))
    kind = get_origin(kind) or kind
    if kind not in KINDS:
        return None
    column: dict[str, Any] = {}
    for annotation in annotated:
        if isinstance(annotation, Within):
            column |= {
                "least": annotation.least,
                "most": annotation.most,
                "finest": annotation.finest,
            }
        elif isinstance(annotation, Text):
            column |= {"shortest": annotation.shortest, "pattern": annotation.pattern}
    return Domain(name, kind, required, **column)


def _choices(hint: object) -> Sequence[object]:
    """The members of a union, or the hint itself."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return (hint,) if get_origin(bare) in (None, list, dict) else get_args(bare)


def _plain(hint: object) -> Iterable[Any]:
    """The type, and its annotations."""
    return get_args(hint) if get_origin(hint) is Annotated else (hint,)


OF_RECORDS: Final = declared(Record)
"""The columns of records, except the measures."""
