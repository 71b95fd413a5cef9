"""The order of the literals in an at-most-one constraint, before a scheme encodes it.

Most schemes depend on the order: neighbours share a group, a row or a bit. It can matter as much as
the scheme does (J. Reeves et al., "The impact of literal sorting on cardinality
constraint encodings", AAAI 2025).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block

Positions = NDArray[np.intp]
"""The position of each variable, shape (variables + 1,)."""


def positions(order: str, seed: int, together: Sequence[Block], variables: int) -> Positions | None:
    """The position of each variable in this order; None if literals keep their order. The
    variables in one row of `together` occur together, with any sign.
    """
    match order:
        case "occurrence":
            count = np.zeros(variables + 1, np.int64)
            for block in together:
                count += np.bincount(np.abs(block).ravel(), minlength=variables + 1)
            return np.argsort(np.argsort(-count, kind="stable"))
        case "proximity":
            return _proximity(together, variables)
        case "random":
            return np.random.default_rng(seed).permutation(variables + 1)
    return None


def arrange(items: Block, places: Positions | None) -> Block:
    """The literals of each row in the order of their variables."""
    if places is None:
        return items
    order = np.argsort(places[np.abs(items)], axis=1, kind="stable")
    return np.take_along_axis(items, order, axis=1)


def _proximity(together: Sequence[Block], variables: int) -> Positions:
    """E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM 1969, and
    A. George's reversal. Of a row, neighbours are connected.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    rows = [np.abs(block)[:, :-1].ravel() for block in together]
    columns = [np.abs(block)[:, 1:].ravel() for block in together]
    one, other = (np.concatenate([np.zeros(0, np.int32), *arrays]) for arrays in (rows, columns))
    ends = np.concatenate([one, other]), np.concatenate([other, one])
    shape = (variables + 1, variables + 1)
    graph = coo_array((np.ones(len(ends[0]), np.bool_), ends), shape=shape).tocsr()
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    return np.argsort(order)
