"""Which k to ask for next, to find the least one with a solution.

`answers` has an entry for each k asked so far, in that order: whether there is a solution, or None
if that was left open. The least k to ask for is `low`, the greatest is `high`. A greatest k is
found as the least -k.
"""

from collections.abc import Callable
from typing import Final

from nqbench.common.vocabulary import KOrder

Known = dict[int, bool | None]
NextK = Callable[[int, int, int, Known], int | None]


def linear(first: int, low: int, high: int, answers: Known) -> int | None:
    """One k after the other, until two neighbours differ or a k is left open.

    >>> linear(5, 0, 10, {}), linear(5, 0, 10, {5: True}), linear(5, 0, 10, {5: True, 4: False})
    (5, 4, None)
    """
    if not answers:
        return first
    last = next(reversed(answers))
    if answers[last] is None:
        return None
    k = last - 1 if answers[last] else last + 1
    return k if low <= k <= high and k not in answers else None


def binary(first: int, low: int, high: int, answers: Known) -> int | None:
    """In steps of 1, 2, 4 and so on until the answer is between two k, then the middle of them.

    An open k says nothing about any other. So the search goes on, but does not pass it: it narrows
    the k above it down to the least solution, then those below it up to the last without one.

    >>> binary(5, 0, 10, {5: False, 6: False}), binary(5, 0, 10, {5: False, 6: False, 8: True})
    (8, 7)
    >>> binary(5, 0, 20, {0: False, 16: True, 8: None}), binary(5, 0, 20, {0: False, 8: True})
    (12, 4)
    """
    if not answers:
        return first
    least, greatest = min(answers), max(answers)
    has = min((k for k, has_solution in answers.items() if has_solution), default=None)
    if has is None:
        return None if greatest == high else min(high, 2 * greatest - first + 1)
    lacks = max(
        (k for k, has_solution in answers.items() if has_solution is False), default=low - 1
    )
    if lacks < low < least:
        return max(low, 2 * least - first - 1)
    below = max((k for k in answers if lacks < k < has), default=lacks)
    if has - below > 1:
        return (below + has) // 2
    above = min((k for k in answers if lacks < k < has), default=has)
    return (lacks + above) // 2 if above - lacks > 1 else None


NEXT_K: Final[dict[KOrder, NextK]] = {KOrder.LINEAR: linear, KOrder.BINARY: binary}
