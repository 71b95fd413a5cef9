"""`pysat`: the schemes of PySAT, which its `CardEnc` writes.

`pysat:seqcounter`, which is the default, `pysat:sortnetwrk`, `pysat:cardnetwrk`, `pysat:totalizer`,
`pysat:mtotalizer` and `pysat:kmtotalizer` state at most k of n literals, and `pysat:pairwise`,
`pysat:bitwise` and `pysat:ladder` at most one. The names are those of PySAT. The papers and sizes
are those of the schemes here of which these are other implementations: `sequential`,
`sorting-network`, `cardinality-network`, `totalizer`, `modulo-totalizer`, `k-modulo-totalizer`,
`pairwise`, `bitwise` and `ladder`.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(PySATCard("pysat:seqcounter").at_most_one(3)))
p cnf 5 5
-1 4 0
-4 5 0
-2 -4 0
-2 5 0
-3 -5 0
"""

from itertools import chain
from typing import Final

import numpy as np

from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.encodings.library import LibraryEncoding
from nqbench.plugins.parameters import Choice

_FOR_ONE: Final = ("pairwise", "bitwise", "ladder")
_COUNTING: Final = (
    *("seqcounter", "sortnetwrk", "cardnetwrk"),
    *("totalizer", "mtotalizer", "kmtotalizer"),
)


class PySATCard(LibraryEncoding):
    """PySAT's `CardEnc`."""

    reference = "A. Ignatiev, A. Morgado, J. Marques-Silva, SAT 2018"
    distribution = "python-sat"
    modules = ("pysat.card",)
    parameters = {
        "scheme": Choice("seqcounter", (*_COUNTING, *_FOR_ONE), is_positional=True),
        **LibraryEncoding.parameters,
    }
    for_one = frozenset(_FOR_ONE)
    tightening = frozenset(("sortnetwrk", "totalizer", "mtotalizer"))

    def library_clauses(self, n: int, most: int) -> CNF:
        from pysat.card import CardEnc, EncType

        written = CardEnc.atmost(
            list(range(1, n + 1)), bound=most, encoding=getattr(EncType, self.scheme)
        )
        cnf = CNFBuilder(num_main=n)
        cnf.fresh(written.nv - n)
        widths = np.fromiter(map(len, written.clauses), np.int64, len(written.clauses))
        literals = np.fromiter(chain.from_iterable(written.clauses), np.int32, widths.sum())
        starts = np.cumsum(widths) - widths
        for width in np.unique(widths).tolist():
            cnf.add(literals[starts[widths == width, np.newaxis] + np.arange(width)])
        return cnf.build()
