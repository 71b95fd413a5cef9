"""`queens`: n queens on an empty n x n board, no two of which attack each other.

M. Bezzel, Berliner Schachzeitung 3, 1848. Options are (row, column): a queen on a square. Rows and
columns are primary items, diagonals of two or more squares are secondary ones (D. Knuth, TAOCP 4B,
section 7.2.2.1). There is a solution if and only if n = 1 or n >= 4.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> print(dimacs.text(Encoding.named("pairwise").clauses(Family.named("queens").of_size(2))))
p cnf 4 10
1 2 0
3 4 0
1 3 0
2 4 0
-1 -2 0
-3 -4 0
-1 -3 0
-2 -4 0
-1 -4 0
-2 -3 0
"""

from nqbench.problems.families.boards import BoardFamily


class EmptyBoards(BoardFamily):
    """An empty board for each n."""

    meaning = "queens on an empty board"
    reference = "M. Bezzel, Berliner Schachzeitung 3, 1848"
