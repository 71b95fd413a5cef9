"""Normalises one row whose numbers are too large for arrays of int64, with Python's integers.

The steps are those of `stated_rows`, which takes all other rows at once.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

from nqbench.clauses.row_relations import AT_LEAST, EXACTLY

Row = tuple[list[int], list[int], int]
"""Literals, their weights, and the bound."""


def normalised_row(
    literals: Sequence[int], weights: Sequence[int], relation: int, bound: int
) -> Row:
    """The same row with each variable once, in the order in which they occur, and with positive
    weights.

    >>> normalised_row([1, -2, 2], [2**60, -(2**60), 2**59], AT_LEAST, 2**59 - 2**60)
    ([1, 2], [1, 1], 1)
    """
    factors: defaultdict[int, int] = defaultdict(int)
    for literal, weight in zip(literals, weights, strict=True):
        # w ~x is w - w x.
        factors[abs(literal)] += weight if literal > 0 else -weight
        bound -= weight if literal < 0 else 0
    bound -= sum(factor for factor in factors.values() if factor < 0)
    signed = [(x if factor > 0 else -x) for x, factor in factors.items() if factor]
    positive = [abs(factor) for factor in factors.values() if factor]
    # Twice: what is left of the weights after saturation may have a common factor.
    for _ in range(2):
        positive, bound = _saturated(*_divided(positive, relation, bound), relation)
    return signed, positive, bound


def _divided(weights: list[int], relation: int, bound: int) -> tuple[list[int], int]:
    """Weights without a common factor, and the bound that whole numbers can reach then, or one that
    is none.
    """
    factor = math.gcd(*weights) or 1
    down, rest = divmod(bound, factor)
    if rest and relation == AT_LEAST:
        down += 1
    if rest and relation == EXACTLY:
        down = -1
    return [weight // factor for weight in weights], down


def _saturated(weights: list[int], bound: int, relation: int) -> tuple[list[int], int]:
    """Weights of at most what the bound asks for, and the bound for them; 1 where all literals, or
    none, have to be true, or any values satisfy the row, or none does.
    """
    total, is_exact = sum(weights), relation == EXACTLY
    # At most k is the same as at least the rest of the negations.
    needed = bound if relation == AT_LEAST else total - bound
    if needed > total or (is_exact and needed < 0):
        limit, needed = 1, len(weights) + 1
    elif needed <= 0:
        limit, needed = 1, 0
    elif needed == total if is_exact else total - needed < min(weights):
        limit, needed = 1, len(weights)
    else:
        limit = total if is_exact else needed
    weights = [min(weight, limit) for weight in weights]
    return weights, needed if relation == AT_LEAST else sum(weights) - needed
