"""`order`: for each choice and number c > 0 whether its option has the number c or a larger one.

N. Tamura, A. Taga, S. Kitagawa, M. Banbara, "Compiling finite linear CSP into SAT", Constraints 14,
2009; J. Crawford, A. Baker, AAAI 1994. On a board, the choices are the rows, and the queen is in
column c if the variable of c is true and that of c + 1 is false: n(n-1) variables, none for
squares; n(n-2) clauses that order them, and a clause of up to 4 literals for every two squares in
different rows that attack each other. For other problems see `choices`.
"""

import numpy as np

from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.encodings import choices
from nqbench.encodings.boards import keep_lex_leaders
from nqbench.encodings.choices import ChoiceEncoding, Values
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution


class Order(ChoiceEncoding):
    """For each choice and number, whether its option has that number or a larger one."""

    reference = "N. Tamura, A. Taga, S. Kitagawa, M. Banbara, Constraints 14, 2009"

    def encode(self, problem: Problem) -> CNF:
        choice_table = choices.of(problem)
        count, most = choice_table.options.shape
        reaches = np.arange(1, count * (most - 1) + 1, dtype=np.int32).reshape(count, most - 1)
        cnf = CNFBuilder(num_main=reaches.size)
        cnf.add(np.stack([-reaches[:, 1:], reaches[:, :-1]], axis=2).reshape(-1, 2))
        if most > 1 and self.halves(problem):
            cnf.add([[-reaches[0, (most + 1) // 2 - 1]]])
        # The clause 'not number c': 0 stands for the literals of the numbers 0 and `most`.
        never = np.zeros((count, 1), dtype=np.int32)
        not_in = np.stack(
            [np.concatenate([never, -reaches], 1), np.concatenate([reaches, never], 1)], axis=2
        ).reshape(count * most, 2)
        cnf.add_without_zeros(not_in[choice_table.excluded()])
        for first, second in choice_table.conflicts():
            cnf.add_without_zeros(np.concatenate([not_in[first], not_in[second]], axis=1))
        keep_lex_leaders(cnf, problem, not_in[choice_table.positions])
        return cnf.build()

    def values_of(self, most: int) -> Values:
        return np.arange(most)[:, np.newaxis] > np.arange(most - 1)

    def decode(self, problem: Problem, values: Assignment) -> Solution:
        count, most = choices.shape(problem)
        reaches = values[: count * (most - 1)].reshape(count, most - 1)
        return choices.options_by_number(problem, np.count_nonzero(reaches, axis=1))
