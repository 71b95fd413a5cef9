"""`order`: no squares, but for each row and column c > 0 'its queen is in c or right of it'.

N. Tamura, A. Taga, S. Kitagawa, M. Banbara, "Compiling finite linear CSP into SAT", Constraints 14,
2009; J. Crawford, A. Baker, AAAI 1994. That the queen is in column c is then 'c or right of it, but
not c + 1'. n(n-1) variables; n(n-2) clauses that order them and, for every two squares of different
rows that attack each other, one of up to 4 literals.
"""

import numpy as np

from nqbench.encodings.attacks import attacks
from nqbench.encodings.base import SYMMETRY, Encoding, forbidden
from nqbench.encodings.grid import Grid
from nqbench.instances.cnf import CNF, Assignment, CNFBuilder
from nqbench.problems.base import Placement, Problem


class Order(Encoding):
    """For each row and column whether the row's queen is there or right of it."""

    reference = "N. Tamura, A. Taga, S. Kitagawa, M. Banbara, Constraints 14, 2009"
    parameters = {"symmetry": SYMMETRY}

    def encode(self, problem: Problem) -> CNF:
        n = problem.n
        reaches = np.arange(1, n * (n - 1) + 1, dtype=np.int32).reshape(n, n - 1)
        cnf = CNFBuilder(board=reaches.size)
        cnf.add(np.stack([-reaches[:, 1:], reaches[:, :-1]], axis=2).reshape(-1, 2))
        if n > 1 and self.breaks_symmetry(problem):
            cnf.add([[-reaches[0, (n + 1) // 2 - 1]]])
        # The clause 'not in column c': the literal that column 0 or n would need is a 0.
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
