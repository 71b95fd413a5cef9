"""Copies one small formula to many lines of the board at once.

An at-most-one scheme is described once for k literals, as a formula whose board is those k
variables. Stamping replaces them by the squares of each line of length k and gives each line new
auxiliary variables. It is array indexing and costs no more than writing the result.
"""

import numpy as np

from nqbench.encodings.grid import Lines
from nqbench.instances.cnf import CNF, Block, CNFBuilder


def stamp(cnf: CNFBuilder, template: CNF, lines: Lines) -> Block:
    """Add the clauses of the template for every line; `lines` has shape (m, template.board).

    Returns the auxiliary variables of each line, shape (m, auxiliary variables of the template).
    """
    count, k = lines.shape
    auxiliary = template.num_variables - k
    first = cnf.fresh(count * auxiliary)
    fresh = np.arange(first, first + count * auxiliary, dtype=np.int32).reshape(count, auxiliary)
    variables = np.concatenate([lines, fresh], axis=1)
    # Column l of a line is its literal for literal l of the template; a negative l counts from the
    # end.
    unused = np.zeros((count, 1), dtype=np.int32)
    literals = np.concatenate([unused, variables, -variables[:, ::-1]], axis=1)
    for block in template.blocks:
        stamped = np.take(literals, block, axis=1, mode="wrap")
        cnf.add(stamped.reshape(-1, block.shape[1]))
    return fresh
