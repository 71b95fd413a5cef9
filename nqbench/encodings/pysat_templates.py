"""At-most-one formulas that PySAT's `CardEnc` writes.

A. Ignatiev, A. Morgado, J. Marques-Silva, "PySAT: a Python toolkit for prototyping with SAT
oracles", SAT 2018. One call for each length of line, not one for each line; stamping does the rest.
"""

import itertools

import numpy as np

from nqbench.cnf import Block, CNFBuilder


def constrain(cnf: CNFBuilder, scheme: str, x: Block) -> None:
    """Add PySAT's formula of the scheme, a name in `EncType`, for at most one of x, shape (k,)."""
    from pysat.card import CardEnc, EncType

    theirs = CardEnc.atmost(
        x.tolist(), bound=1, top_id=cnf.num_variables, encoding=getattr(EncType, scheme)
    )
    cnf.fresh(theirs.nv - cnf.num_variables)
    # By width, since PySAT mixes clauses of two and three literals all the way.
    for width, group in itertools.groupby(sorted(theirs.clauses, key=len), key=len):
        literals = np.fromiter(itertools.chain.from_iterable(group), dtype=np.int32)
        cnf.add(literals.reshape(-1, width))
