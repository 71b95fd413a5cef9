"""`log`: for each row the column of its queen as a binary number; no variables for squares.

K. Iwama, S. Miyazaki, "SAT-variable complexity of hard combinatorial problems", IFIP 1994;
T. Walsh, "SAT v CSP", CP 2000. b = ceil(log2 n) bits for each row (one at n = 1), lowest first; a
clause of b literals for each row and each number that is not a column, and a clause of 2b literals
for every two squares in different rows that attack each other.
"""

import numpy as np

from nqbench.encodings.attacks import attacks
from nqbench.encodings.base import SYMMETRY, Encoding, forbidden
from nqbench.encodings.grid import Grid
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.problems.base import Placement, Problem


class Log(Encoding):
    """The column of the queen of each row, as a binary number."""

    reference = "K. Iwama, S. Miyazaki, IFIP 1994; T. Walsh, CP 2000"
    parameters = {"symmetry": SYMMETRY}

    def encode(self, problem: Problem) -> CNF:
        n, width = problem.n, _bits(problem.n)
        bits = np.arange(1, n * width + 1, dtype=np.int32).reshape(n, 1, width)
        is_set = np.arange(2**width)[:, np.newaxis] >> np.arange(width) & 1
        # Shape (n, 2^b, b): for each row and number, the clause that the row has another number.
        not_in = np.where(is_set, -bits, bits)
        cnf = CNFBuilder(board=n * width)
        cnf.add(not_in[:, n:].reshape(-1, width))
        if self.breaks_symmetry(problem):
            cnf.add(not_in[0, (n + 1) // 2 : n])
        squares = not_in[:, :n].reshape(n * n, width)
        cnf.add(squares[forbidden(problem)])
        for first, second in attacks(Grid(n, problem.wraps)):
            cnf.add(np.concatenate([squares[first], squares[second]], axis=1))
        return cnf.build()

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        width = _bits(problem.n)
        bits = values[: problem.n * width].reshape(problem.n, width)
        return tuple(enumerate((bits @ (1 << np.arange(width))).tolist()))


def _bits(n: int) -> int:
    return max(1, (n - 1).bit_length())
