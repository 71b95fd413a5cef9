"""`level2`: at least one queen on the board, and no two that attack each other.

Its models are all non-empty sets of queens that do not attack each other. Most have fewer than n
queens and are rejected. 1 + n(n-1)(5n-1)/3 clauses: 77 at n = 4, 729 at n = 8. The same as
`pairwise:state=board`.
"""

from nqbench.encodings.boards import SYMMETRY
from nqbench.encodings.pairwise import Pairwise


class Level2(Pairwise):
    """At least one queen on the board; its models may have fewer than n."""

    reference = "'SAT approach for 8 queens', level 2"
    parameters = {"symmetry": SYMMETRY}
    state = "board"
