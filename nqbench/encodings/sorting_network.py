"""`sorting-network`: an odd-even merging network sorts the squares; one output is false.

K. Batcher, "Sorting networks and their applications", AFIPS 1968; as clauses by N. Een,
N. Sorensson, "Translating pseudo-Boolean constraints into SAT", JSAT 2, 2006. This is PySAT's
network, which has 2^j inputs. Inputs that the line does not need share one variable, which is
false. At most k of n: output k + 1 is false. At most one of k: 126 auxiliary variables and 190
clauses for k = 16, 383 and 575 for k = 17; for k = 2, one clause.
"""

from functools import lru_cache

from nqbench.clauses.cnf import CNF, Block, CNFBuilder, as_blocks
from nqbench.clauses.stamp import stamp
from nqbench.encodings.counting import CountingEncoding, fill_up


class SortingNetwork(CountingEncoding):
    """A sorting network whose output after the bound is false."""

    reference = "K. Batcher, AFIPS 1968; N. Een, N. Sorensson, JSAT 2, 2006"
    tightens = True
    distribution = "python-sat"
    modules = ("pysat.card",)

    def limit(self, cnf: CNFBuilder, x: Block, most: int) -> None:
        network = _network(1 << (len(x) - 1).bit_length(), most)
        stamp(cnf, network, fill_up(cnf, x, network.num_main).reshape(1, -1))


@lru_cache(maxsize=1)
def _network(inputs: int, most: int) -> CNF:
    """PySAT's network, cached: half of all lengths share the largest one."""
    from pysat.card import CardEnc, EncType

    theirs = CardEnc.atmost(list(range(1, inputs + 1)), bound=most, encoding=EncType.sortnetwrk)
    cnf = CNFBuilder(num_main=inputs)
    cnf.fresh(theirs.nv - inputs)
    for block in as_blocks(sorted(theirs.clauses, key=len)):
        cnf.add(block)
    return cnf.build()
