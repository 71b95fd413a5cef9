"""Encodings whose schemes another library writes: a component for each library.

The library is asked once for each number of literals and each bound, and its clauses are stamped on
the rows. It is not asked for none, for all but one, or for two literals: all encodings have the
same clauses there.
"""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.stamp import stamp
from nqbench.common.errors import InputError
from nqbench.encodings.counting import CountingEncoding


class LibraryEncoding(CountingEncoding):
    """Schemes of a library. Subclasses declare the parameter `scheme`, a positional `Choice`."""

    for_one: ClassVar[frozenset[str]]
    """The schemes that state at most one, and no larger bound."""

    tightening: ClassVar[frozenset[str]]
    """The schemes that `tightens` holds for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.scheme = str(self.values["scheme"])
        self.states_bounds = self.scheme not in self.for_one
        if not self.states_bounds and self.scheme_for_one is not self:
            raise InputError(
                f"'{self.name}': {self.scheme} is itself for at most one: leave out 'one'"
            )
        self.tightens = self.scheme in self.tightening and self.scheme_for_one is self

    @abstractmethod
    def library_clauses(self, n: int, most: int) -> CNF:
        """Return the library's clauses for at most so many of the variables 1..n, its main
        variables, with 1 <= most <= n - 2.
        """

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        if most > 1 and not self.states_bounds:
            raise InputError(
                f"encoding '{self.name}' states at most one, not at most {most} of {len(x)}: "
                f"choose another one, for instance {self.base_name}"
            )
        self.probe()  # whose error says how to install the library
        stamp(cnf, self.library_clauses(len(x), most), x[np.newaxis])
