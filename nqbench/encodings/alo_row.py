"""`alo-row`: at least one queen in each row, and no two that attack each other.

Each column then holds a queen as well: there are n queens, and no two share a row or a column.
n + n(n-1)(5n-1)/3 clauses: 80 at n = 4, 736 at n = 8. The same as `pairwise:state=rows`.
"""

from nqbench.encodings.boards import SYMMETRY
from nqbench.encodings.pairwise import Pairwise


class AtLeastOnePerRow(Pairwise):
    """At least one queen in each row."""

    reference = "folklore; 'N-queens to SAT with pycryptosat'"
    parameters = {"symmetry": SYMMETRY}
    state = "rows"
