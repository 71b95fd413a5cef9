"""The options of a problem: what can be chosen, such as a queen on a square.

A family says what the numbers of an option mean: row and column of a queen, or row, column and
symbol of a Latin square. The variable of an option is its position, counted from 1.
"""

from collections.abc import Iterable, Sequence
from math import prod

Option = tuple[int, ...]
"""What can be chosen, as numbers from 0."""

Solution = tuple[Option, ...]
"""The chosen options."""


class Box(Sequence[Option]):
    """All options whose numbers are below these bounds; the last number varies fastest.

    >>> list(Box(2, 2)), Box(8, 8)[28], Box(8, 8).index((3, 4))
    ([(0, 0), (0, 1), (1, 0), (1, 1)], (3, 4), 28)
    """

    def __init__(self, *bounds: int) -> None:
        self.bounds = bounds
        self._length = prod(bounds)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, position: int) -> Option:  # type: ignore[override]
        """The option at a position; there are no slices."""
        if not 0 <= position < self._length:
            raise IndexError(f"option {position} of {self._length}")
        numbers = []
        for bound in reversed(self.bounds):
            position, number = divmod(position, bound)
            numbers.append(number)
        return tuple(reversed(numbers))

    def __contains__(self, option: object) -> bool:
        return isinstance(option, tuple) and _position(option, self.bounds) >= 0

    def index(self, option: Option, start: int = 0, stop: int | None = None) -> int:  # noqa: ARG002
        """The position of an option. Raises `ValueError` if there is no such option."""
        position = _position(option, self.bounds)
        if position < 0:
            raise ValueError(f"{option} is not an option")
        return position


def _position(option: Option, bounds: Sequence[int]) -> int:
    """The position of an option in a `Box`; -1 if there is no such option."""
    if len(option) != len(bounds):
        return -1
    position = 0
    for number, bound in zip(option, bounds, strict=True):
        if not 0 <= number < bound:
            return -1
        position = position * bound + number
    return position


def variables(options: Sequence[Option], chosen: Iterable[Option]) -> list[int]:
    """The variables of some options: their positions, counted from 1; 0 for what is no option."""
    if isinstance(options, Box):
        return [_position(option, options.bounds) + 1 for option in chosen]
    return [options.index(option) + 1 if option in options else 0 for option in chosen]
