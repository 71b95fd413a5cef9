"""`level1`: at least one queen in each column, no two in a row, no two on a diagonal.

No column can then hold two: n columns have at least one each, n rows at most one each. 512 clauses
at n = 8. The same as `pairwise:state=alo-columns`.
"""

from nqbench.encodings.boards import SYMMETRY
from nqbench.encodings.pairwise import Pairwise


class Level1(Pairwise):
    """At least one queen in each column, at most one on each row and diagonal."""

    reference = "'SAT approach for 8 queens', level 1"
    parameters = {"symmetry": SYMMETRY}
    state = "alo-columns"
