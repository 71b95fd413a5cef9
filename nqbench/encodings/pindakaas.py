"""`pindakaas`: the schemes of the Rust library pindakaas.

`pindakaas:totalizer`, which is the default, `pindakaas:sequential-counter`,
`pindakaas:sorting-network`, `pindakaas:adder`, `pindakaas:decision-diagram`,
`pindakaas:mixed-radix` and `pindakaas:watchdog` state at most k of n literals, and
`pindakaas:pairwise`, `pindakaas:bitwise`, `pindakaas:ladder` and `pindakaas:product` at most one.
The names are those of pindakaas, with its default options. Its totalizer counts no further than the
bound, and it has its own sorting networks and counters, so sizes differ from those of the schemes
here.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Pindakaas("pindakaas:totalizer").at_most_one(3)))
p cnf 4 4
-2 4 0
-1 4 0
-1 -2 0
-4 -3 0
"""

from typing import Any, Final

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF
from nqbench.encodings.library import LibraryEncoding
from nqbench.plugins.parameters import Choice

_FOR_ONE: Final = ("pairwise", "bitwise", "ladder", "product")
_COUNTING: Final = (
    *("totalizer", "sequential-counter", "sorting-network", "adder"),
    *("decision-diagram", "mixed-radix", "watchdog"),
)


class Pindakaas(LibraryEncoding):
    """The encoders of pindakaas."""

    reference = "H. Bierlee, J. Dekker, doi 10.5281/zenodo.10851855"
    distribution = "pindakaas"
    modules = ("pindakaas",)
    parameters = {
        "scheme": Choice("totalizer", (*_COUNTING, *_FOR_ONE), is_positional=True),
        **LibraryEncoding.parameters,
    }
    for_one = frozenset(_FOR_ONE)
    tightening = frozenset()

    def library_clauses(self, n: int, most: int) -> CNF:
        import pindakaas

        written = pindakaas.CNF()
        encoder = getattr(pindakaas.Encoder, self.scheme.upper().replace("-", "_"))
        written.add_encoding(sum(written.new_vars(n)) <= most, encoder=encoder)
        read = dimacs.read(_text(written).encode(), "pindakaas")
        return CNF(read.num_variables, n, read.blocks)


def _text(written: Any) -> str:
    """The clauses as DIMACS. Raises `MemoryError` if there is no memory for the text: most refused
    allocations abort the process, but this one is a panic of PyO3, which is not an `Exception`.
    """
    try:
        return str(written.to_dimacs())
    except BaseException as error:
        if type(error).__name__ == "PanicException" and "pointer is null" in str(error):
            raise MemoryError("no memory for the clauses of pindakaas") from error
        raise
