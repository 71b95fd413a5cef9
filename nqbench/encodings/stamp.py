"""Writing one small formula onto many lines of the board at once.

An at-most-one scheme is described once for k literals, as a formula whose board is those k
variables. Stamping replaces them by the squares of each line of length k and gives each line
auxiliary variables of its own, by array indexing: the cost is that of writing the result.
"""

import numpy as np

from nqbench.encodings.grid import Lines
from nqbench.instances.cnf import CNF, Block, CNFBuilder


def stamp(cnf: CNFBuilder, template: CNF, lines: Lines) -> Block:
    """Add the clauses of the template for every line; `lines` has shape (m, template.board).

    Returns the auxiliary variables that each line was given, shape (m, template's auxiliaries).
    """
    count, k = lines.shape
    auxiliary = template.num_variables - k
    first = cnf.fresh(count * auxiliary)
    fresh = np.arange(first, first + count * auxiliary, dtype=np.int32).reshape(count, auxiliary)
    variables = np.concatenate([lines, fresh], axis=1)
    # Column l of a line is its literal for the template's literal l; a negative l counts from the
    # back.
    unused = np.zeros((count, 1), dtype=np.int32)
    literals = np.concatenate([unused, variables, -variables[:, ::-1]], axis=1)
    for block in template.blocks:
        stamped = np.take(literals, block, axis=1, mode="wrap")
        cnf.add(stamped.reshape(-1, block.shape[1]))
    return fresh
