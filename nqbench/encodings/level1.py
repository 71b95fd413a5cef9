"""`level1`: a queen somewhere in each column, no two on a row, no two on a diagonal.

That no column holds two follows: n columns with at least one each, n rows with at most one each.
512 clauses at n = 8. The same as `pairwise:state=alo-columns`.
"""

from nqbench.encodings.base import SYMMETRY
from nqbench.encodings.pairwise import Pairwise


class Level1(Pairwise):
    """At least one queen in each column, at most one on each row and diagonal."""

    reference = "'SAT approach for 8 queens', level 1"
    parameters = {"symmetry": SYMMETRY}
    state = "alo-columns"
