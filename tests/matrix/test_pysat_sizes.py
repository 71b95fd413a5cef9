"""The schemes have the sizes of PySAT's."""

import pytest
from pysat.card import CardEnc, EncType

from nqbench.encodings.base import Encoding


def size(name, k):
    cnf = Encoding.named(name).at_most_one(k)
    return cnf.num_variables - k, cnf.num_clauses


PYSAT = {
    "pairwise": "pairwise",
    "sequential": "seqcounter",
    "bitwise": "bitwise",
    "totalizer": "totalizer",
    "cardinality-network": "cardnetwrk",
    "sorting-network": "sortnetwrk",
    "modulo-totalizer": "mtotalizer",
    "k-modulo-totalizer": "kmtotalizer",
}


def pysat_size(scheme, k):
    theirs = CardEnc.atmost(list(range(1, k + 1)), bound=1, encoding=getattr(EncType, scheme))
    return theirs.nv - k, len(theirs.clauses)


@pytest.mark.parametrize(("name", "theirs"), PYSAT.items())
def test_sizes_are_those_of_pysat(name, theirs):
    for k in range(2, 201):
        assert size(name, k) == pysat_size(theirs, k)
