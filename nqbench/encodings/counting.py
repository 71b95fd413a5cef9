"""Encodings whose scheme states that at most k of some variables are true, for any k.

At least k of n are true if and only if at most n - k of their negations are.
"""

from abc import abstractmethod
from typing import Final

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.common.errors import InputError
from nqbench.encodings.lines import LineEncoding

_MOST_CLAUSES: Final = 20_000_000
"""Clauses of one constraint, about 1 GB while they are written."""


class CountingEncoding(LineEncoding):
    """A scheme for at most k, which at most one is a case of."""

    states_bounds = True

    @abstractmethod
    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        """Add the scheme for at most `most` of the variables x, shape (n,), with
        1 <= most <= n - 2. Raises `InputError` if that needs too many clauses.
        """

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        self.limit(cnf, x, 1)

    def check_size(self, clauses: int, most: int, n: int) -> None:
        """Raise `InputError` if these are too many clauses for at most so many of n variables."""
        if clauses > _MOST_CLAUSES:
            raise InputError(
                f"encoding '{self.name}' has {clauses} clauses for at most {most} of {n}: "
                "choose another one, for instance sequential"
            )


def fill_up(cnf: CNFBuilder, x: Block, length: int) -> Block:
    """The variables x and, up to this length, one new variable that is false, for networks that
    need so many inputs.
    """
    if len(x) == length:
        return x
    never = cnf.fresh_array(1)
    cnf.add_each(-never)
    return np.concatenate([x, np.repeat(never, length - len(x))])
