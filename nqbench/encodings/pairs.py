"""At most one by pairs: for every two squares of a line, one of them is empty."""

import numpy as np

from nqbench.cnf import Block
from nqbench.encodings.board import Lines


def pairs(lines: Lines) -> Block:
    """The clauses (-a or -b) of every two squares a, b of each line.

    `lines` has shape (m, k); the result (m * k(k-1)/2, 2), line by line.
    """
    first, second = np.triu_indices(lines.shape[1], k=1)
    return -np.stack([lines[:, first], lines[:, second]], axis=2).reshape(-1, 2)
