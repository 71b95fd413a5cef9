"""`pairwise`: exactly one queen in each row and column, stated in the most direct way.

At least one queen per row and per column; for any two squares on a row, column or diagonal, one of
them is empty. 2n + n(n-1)(5n-1)/3 clauses over n*n variables: 84 at n = 4, 744 at n = 8.
"""

from nqbench.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.board import Board
from nqbench.encodings.pairs import pairs
from nqbench.problem import Problem


class Pairwise(Encoding):
    reference = "folklore; the 'naive' or 'binomial' encoding"

    def encode(self, problem: Problem) -> CNF:
        board = Board(problem.n)
        cnf = CNFBuilder(board.num_squares)
        cnf.add(board.rows)
        cnf.add(board.columns)
        for lines in (board.rows, board.columns, *board.falling(), *board.rising()):
            cnf.add(pairs(lines))
        return cnf.build()
