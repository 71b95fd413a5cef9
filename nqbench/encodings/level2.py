"""`level2`: a queen somewhere on the board, no two that attack each other.

Its models are all non-empty sets of queens that leave each other alone, whatever their number, so
that most models are short and have to be rejected. 1 + n(n-1)(5n-1)/3 clauses over n*n variables:
77 at n = 4, 729 at n = 8.
"""

from nqbench.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.board import Board
from nqbench.encodings.pairs import pairs
from nqbench.problem import Problem


class Level2(Encoding):
    reference = "'SAT approach for 8 queens', level 2"
    forces_all_queens = False

    def encode(self, problem: Problem) -> CNF:
        board = Board(problem.n)
        cnf = CNFBuilder(board.num_squares)
        cnf.add(board.rows.reshape(1, -1))
        for lines in (board.rows, board.columns, *board.falling(), *board.rising()):
            cnf.add(pairs(lines))
        return cnf.build()
