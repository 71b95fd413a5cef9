"""`order`: for each row and column c > 0 whether the row's queen is in column c or right of it.

N. Tamura, A. Taga, S. Kitagawa, M. Banbara, "Compiling finite linear CSP into SAT", Constraints 14,
2009; J. Crawford, A. Baker, AAAI 1994. The queen is in column c if the variable of c is true and
that of c + 1 is false. n(n-1) variables, none for squares; n(n-2) clauses that order them, and a
clause of up to 4 literals for every two squares in different rows that attack each other.
"""

import numpy as np

from nqbench.encodings.attacks import attacks
from nqbench.encodings.base import SYMMETRY, Encoding, forbidden
from nqbench.encodings.grid import Grid
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.problems.base import Placement, Problem


class Order(Encoding):
    """For each row and column, whether the row's queen is in that column or right of it."""

    reference = "N. Tamura, A. Taga, S. Kitagawa, M. Banbara, Constraints 14, 2009"
    parameters = {"symmetry": SYMMETRY}

    def encode(self, problem: Problem) -> CNF:
        n = problem.n
        reaches = np.arange(1, n * (n - 1) + 1, dtype=np.int32).reshape(n, n - 1)
        cnf = CNFBuilder(board=reaches.size)
        cnf.add(np.stack([-reaches[:, 1:], reaches[:, :-1]], axis=2).reshape(-1, 2))
        if n > 1 and self.breaks_symmetry(problem):
            cnf.add([[-reaches[0, (n + 1) // 2 - 1]]])
        # The clause 'not in column c': 0 stands for the literals of columns 0 and n.
        never = np.zeros((n, 1), dtype=np.int32)
        not_in = np.stack(
            [np.concatenate([never, -reaches], 1), np.concatenate([reaches, never], 1)], axis=2
        ).reshape(n * n, 2)
        cnf.add_without_zeros(not_in[forbidden(problem)])
        for first, second in attacks(Grid(n, problem.wraps)):
            cnf.add_without_zeros(np.concatenate([not_in[first], not_in[second]], axis=1))
        return cnf.build()

    def decode(self, problem: Problem, values: Assignment) -> Placement:
        reaches = values[: problem.n * (problem.n - 1)].reshape(problem.n, problem.n - 1)
        return tuple(enumerate(np.count_nonzero(reaches, axis=1).tolist()))
