"""At-most-one constraints of formulas: found in the clauses, and written in another scheme.

cliques      a graph as few maximal cliques that cover its edges
hidden       the constraints of a formula that have auxiliary variables
detection    the constraints of a formula
rewrite      the same formula with another scheme, and its models as models of the original
derivation   a proof that the new formula follows from the original
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class AtMostOne:
    """At most one of these literals is true; `exactly` one, if clauses say that one is.

    `auxiliary` are the variables that only the clauses of the constraint contain. `values`, shape
    (literals + 1, auxiliary), is what they can be: in row i if literal i is true, in the last row
    if none is; None without such variables.
    """

    literals: tuple[int, ...]
    exactly: bool = False
    auxiliary: tuple[int, ...] = ()
    values: NDArray[np.bool_] | None = field(default=None, compare=False, repr=False)
