"""`torus`: queens on a board whose diagonals continue at the opposite edge.

G. Polya, "Über die 'doppelt-periodischen' Lösungen des n-Damen-Problems", 1918. Options are (row,
column). Rows and columns are primary items, and so could be the 2n diagonals of n squares each,
which are secondary ones. There is a solution if and only if n and 6 are coprime.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> print(dimacs.text(Encoding.named("alo-row").clauses(Family.named("torus").of_size(2))))
p cnf 4 10
1 2 0
3 4 0
-1 -2 0
-3 -4 0
-1 -3 0
-2 -4 0
-1 -4 0
-2 -3 0
-1 -4 0
-2 -3 0
"""

from nqbench.problems.families.boards import BoardFamily


class Torus(BoardFamily):
    """An empty torus for each n."""

    meaning = "queens, with diagonals that continue at the opposite edge"
    reference = "G. Polya, 1918"
