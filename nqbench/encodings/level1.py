"""`level1`: a queen somewhere in each column, no two on a row, no two on a diagonal.

That no column holds two follows: n columns with at least one each, n rows with at most one each.
512 clauses over 64 variables at n = 8.
"""

from nqbench.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.board import Board
from nqbench.encodings.pairs import pairs
from nqbench.problem import Problem


class Level1(Encoding):
    reference = "'SAT approach for 8 queens', level 1"

    def encode(self, problem: Problem) -> CNF:
        board = Board(problem.n)
        cnf = CNFBuilder(board.num_squares)
        cnf.add(board.columns)
        for lines in (board.rows, *board.falling(), *board.rising()):
            cnf.add(pairs(lines))
        return cnf.build()
