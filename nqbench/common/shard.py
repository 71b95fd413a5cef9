"""One of several parts of a campaign."""

import re
from dataclasses import dataclass
from typing import Any, Self

from nqbench.common.errors import InputError


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
