"""`alo-row`: at least one queen in each row, no two that attack each other.

That each column holds a queen follows: n queens, one to a row, none two in a column.
n + n(n-1)(5n-1)/3 clauses over n*n variables: 80 at n = 4, 736 at n = 8.
"""

from nqbench.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.board import Board
from nqbench.encodings.pairs import pairs
from nqbench.problem import Problem


class AtLeastOnePerRow(Encoding):
    reference = "folklore; 'N-queens to SAT with pycryptosat'"

    def encode(self, problem: Problem) -> CNF:
        board = Board(problem.n)
        cnf = CNFBuilder(board.num_squares)
        cnf.add(board.rows)
        for lines in (board.rows, board.columns, *board.falling(), *board.rising()):
            cnf.add(pairs(lines))
        return cnf.build()
