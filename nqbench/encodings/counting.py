"""Encodings whose scheme states that at most k of some variables are true, for any k.

At least k of n are true if and only if at most n - k of their negations are.
"""

from abc import abstractmethod
from typing import Final

import numpy as np

from nqbench.clauses.cnf import Block, CNFBuilder
from nqbench.common.errors import InputError
from nqbench.common.spelling import OTHER
from nqbench.encodings.base import Encoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins.parameters import NameOr, canonical_name

_MOST_CLAUSES: Final = 20_000_000
"""Clauses of one constraint, about 1 GB while they are written."""


ONE: Final = NameOr("same")
"""The scheme for rows with bound 1: at most one, exactly one, and at least all but one."""


class CountingEncoding(LineEncoding):
    """A scheme for at most k, which at most one is a case of. The parameter `one` names another
    scheme for that case.
    """

    parameters = {**LineEncoding.parameters, OTHER: ONE}
    states_bounds = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._one: LineEncoding | None = None
        one = str(self.values.get(OTHER, ONE.default))
        if one == ONE.default:
            return
        scheme = _scheme_for_one(self.name, one)
        of_lines = {key: p.default for key, p in CountingEncoding.parameters.items()}
        own = canonical_name(self.base_name, {**self.values, **of_lines}, self.parameters)
        self._one = scheme if scheme.name != own else None
        self.values = {**self.values, OTHER: scheme.name if self._one else ONE.default}
        self.name = canonical_name(self.base_name, self.values, self.parameters)
        # The auxiliary variables of two schemes do not mean the same.
        self.tightens = self.tightens and self._one is None

    @property
    def scheme_for_one(self) -> LineEncoding:
        return self._one or self

    @property
    def distributions(self) -> list[str]:
        if self._one is None:
            return super().distributions
        both = dict.fromkeys([*super().distributions, *self._one.distributions])
        return [name for name in both if name != "nqbench"] or ["nqbench"]

    def prepare(self) -> None:
        super().prepare()
        if self._one:
            self._one.prepare()

    def probe(self) -> None:
        super().probe()
        if self._one:
            self._one.probe()

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


def _scheme_for_one(name: str, one: str) -> LineEncoding:
    """The encoding that the parameter `one` of the encoding `name` names. Raises `InputError` if it
    is no scheme, or has parameters that do not belong to its scheme.
    """
    scheme = Encoding.named(one)
    if not isinstance(scheme, LineEncoding):
        raise InputError(
            f"'{name}': '{one}' has no at-most-one scheme: choose for instance product"
        )
    for key, parameter in CountingEncoding.parameters.items():
        if scheme.values.get(key, parameter.default) != parameter.default:
            raise InputError(f"'{name}': {key} is no parameter of a scheme: leave it out of 'one'")
    return scheme


def fill_up(cnf: CNFBuilder, x: Block, length: int) -> Block:
    """The variables x and, up to this length, one new variable that is false, for networks that
    need so many inputs.
    """
    if len(x) == length:
        return x
    never = cnf.fresh_array(1)
    cnf.add_each(-never)
    return np.concatenate([x, np.repeat(never, length - len(x))])
