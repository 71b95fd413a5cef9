"""`ladder`: rungs that are true up to the queen and false after it, equivalent to the squares.

I. Gent, P. Nightingale, "A new encoding of AllDifferent into SAT", ModRef 2004 (the regular
encoding of C. Ansotegui, F. Manya, SAT 2004, is the same ladder). Rung y[i] means that the queen
is on square i or a later one; x[i] is true if and only if y[i] is true and y[i+1] is not. The
lowest rung is free, so the line may be empty. At most one of k > 2: k auxiliary variables, 4k - 2
clauses; for k = 2, one clause.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Ladder("ladder").at_most_one(3)))
p cnf 6 10
-5 4 0
-6 5 0
-1 4 0
-2 5 0
-3 6 0
-1 -5 0
-2 -6 0
-6 3 0
-4 5 1 0
-5 6 2 0
"""

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.encodings.lines import LineEncoding


class Ladder(LineEncoding):
    """Rungs that are true up to the queen, equivalent to the squares."""

    reference = "I. Gent, P. Nightingale, ModRef 2004"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        y = cnf.fresh_array(len(x))
        cnf.add_each(-y[1:], y[:-1])
        cnf.add_each(-x, y)
        cnf.add_each(-x[:-1], -y[1:])
        cnf.add([[-y[-1], x[-1]]])
        cnf.add_each(-y[:-1], y[1:], x[:-1])
