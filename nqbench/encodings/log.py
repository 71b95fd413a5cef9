"""`log`: for each choice the number of its option in binary; no variables for options.

K. Iwama, S. Miyazaki, "SAT-variable complexity of hard combinatorial problems", IFIP 1994;
T. Walsh, "SAT v CSP", CP 2000. On a board, b = ceil(log2 n) bits for each row (one at n = 1),
lowest first; a clause of b literals for each row and each number that is not a column, and a clause
of 2b literals for every two squares in different rows that attack each other. Other problems have
choices in place of rows: see `choices`.
"""

import numpy as np

from nqbench.clauses.cnf import CNF, Assignment, CNFBuilder
from nqbench.encodings import choices
from nqbench.encodings.boards import keep_lex_leaders
from nqbench.encodings.choices import ChoiceEncoding, Values
from nqbench.problems.base import Problem
from nqbench.problems.options import Solution


class Log(ChoiceEncoding):
    """The option of each choice, as a binary number."""

    reference = "K. Iwama, S. Miyazaki, IFIP 1994; T. Walsh, CP 2000"

    def encode(self, problem: Problem) -> CNF:
        choice_table = choices.of(problem)
        count, most = choice_table.options.shape
        width = _bits(most)
        bits = np.arange(1, count * width + 1, dtype=np.int32).reshape(count, 1, width)
        is_set = _is_set(2**width, width)
        # Shape (count, 2^b, b): for each choice and number, the clause that it has another number.
        not_in = np.where(is_set, -bits, bits)
        cnf = CNFBuilder(num_main=count * width)
        cnf.add(not_in[:, most:].reshape(-1, width))
        if self.halves(problem):
            cnf.add(not_in[0, (most + 1) // 2 : most])
        options = not_in[:, :most].reshape(count * most, width)
        cnf.add(options[choice_table.excluded()])
        for first, second in choice_table.conflicts():
            cnf.add(np.concatenate([options[first], options[second]], axis=1))
        keep_lex_leaders(cnf, problem, options[choice_table.positions])
        return cnf.build()

    def values_of(self, most: int) -> Values:
        return _is_set(most, _bits(most))

    def decode(self, problem: Problem, values: Assignment) -> Solution:
        count, most = choices.shape(problem)
        width = _bits(most)
        bits = values[: count * width].reshape(count, width)
        return choices.options_by_number(problem, bits @ (1 << np.arange(width)))


def _is_set(numbers: int, width: int) -> Values:
    """Which bits each number has, the lowest first."""
    return (np.arange(numbers)[:, np.newaxis] >> np.arange(width) & 1).astype(np.bool_)


def _bits(most: int) -> int:
    return max(1, (most - 1).bit_length())
