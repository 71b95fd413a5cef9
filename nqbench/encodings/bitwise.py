"""`bitwise`: each square implies its own number in shared bits, so no two can both be true.

A. Frisch, T. Peugniez, A. Doggett, P. Nightingale, "Solving non-Boolean satisfiability problems
with stochastic local search", Journal of Automated Reasoning 35, 2005 (also called binary). At most
one of k > 2: b = ceil(log2 k) auxiliary variables, k * b clauses; for k = 2, one clause.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Bitwise("bitwise").at_most_one(3)))
p cnf 5 6
-1 -4 0
-1 -5 0
-2 4 0
-2 -5 0
-3 -4 0
-3 5 0
"""

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.lines import LineEncoding


class Bitwise(LineEncoding):
    """Shared bits for the number of the square that may hold the queen."""

    reference = "A. Frisch, T. Peugniez, A. Doggett, P. Nightingale, JAR 35, 2005"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        bits = cnf.fresh_array((len(x) - 1).bit_length())
        cnf.add(spell_numbers(x, np.arange(len(x)), bits))


def spell_numbers(literals: Block, numbers: NDArray[np.int_], bits: Block) -> Block:
    """Clauses by which each literal implies its number in the bits, lowest bit first.

    `literals` and `numbers` have shape (k,), `bits` (b,), the result (k * b, 2).
    """
    is_set = numbers[:, np.newaxis] >> np.arange(len(bits)) & 1
    implied = np.where(is_set, bits, -bits)
    premises = np.broadcast_to(-literals[:, np.newaxis], implied.shape)
    return np.stack([premises, implied], axis=2).reshape(-1, 2)
