"""`pindakaas`: the schemes of the Rust library pindakaas.

`pindakaas:totalizer`, which is the default, `pindakaas:sequential-counter`,
`pindakaas:sorting-network`, `pindakaas:adder`, `pindakaas:decision-diagram`,
`pindakaas:mixed-radix` and `pindakaas:watchdog` state at most k of n literals, and rows with
weights. `pindakaas:pairwise`, `pindakaas:bitwise`, `pindakaas:ladder` and `pindakaas:product` state
at most one. The names are those of pindakaas, with its default options. Its totalizer counts no
further than the bound, and it has its own sorting networks and counters, so sizes differ from those
of the schemes here. It does not say in advance how large a row becomes: with large weights,
diagrams can take many seconds and totalizers gigabytes, up to the limits of the run.

>>> from nqbench.clauses import dimacs
>>> print(dimacs.text(Pindakaas("pindakaas:totalizer").at_most_one(3)))
p cnf 4 4
-2 4 0
-1 4 0
-1 -2 0
-4 -3 0
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.rows import RowForm
from nqbench.clauses.stamp import stamp
from nqbench.encodings.counting import WeighingEncoding
from nqbench.encodings.library import LibraryEncoding
from nqbench.plugins.parameters import Choice

_FOR_ONE: Final = ("pairwise", "bitwise", "ladder", "product")
_COUNTING: Final = (
    *("totalizer", "sequential-counter", "sorting-network", "adder"),
    *("decision-diagram", "mixed-radix", "watchdog"),
)


class Pindakaas(LibraryEncoding, WeighingEncoding):
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

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.states_weights = self.states_bounds

    def library_clauses(self, n: int, most: int) -> CNF:
        return self._encode(n, lambda variables: sum(variables) <= most)

    def num_clauses(self, form: RowForm, most: int) -> int:  # noqa: ARG002
        """None: the library does not say it, and encodes within the limits of a run."""
        return 0

    def weigh(self, cnf: CNFBuilder, x: Block, form: RowForm) -> None:
        self.probe()  # whose error says how to install the library
        template = self._encode(
            len(x),
            lambda variables: (
                sum(w * v for w, v in zip(form.weights, variables, strict=True)) >= form.least
            ),
        )
        stamp(cnf, template, x[np.newaxis])

    def _encode(self, n: int, row: Callable[[list[Any]], Any]) -> CNF:
        """The library's clauses for a row of the variables 1..n."""
        import pindakaas

        written = pindakaas.CNF()
        encoder = getattr(pindakaas.Encoder, self.scheme.upper().replace("-", "_"))
        written.add_encoding(row(list(written.new_vars(n))), encoder=encoder)
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
