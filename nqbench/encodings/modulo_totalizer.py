"""`modulo-totalizer`: a totalizer that counts in two digits.

T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, "Modulo based CNF encoding of cardinality
constraints and its application to MaxSAT solvers", ICTAI 2013, as PySAT builds it for a bound of 1;
of 2, the pair. 56 auxiliary variables and 142 clauses for k = 16.
"""

from nqbench.cnf import Block, CNFBuilder
from nqbench.encodings import pysat_templates
from nqbench.encodings.lines import LineEncoding


class ModuloTotalizer(LineEncoding):
    reference = "T. Ogawa, Y. Liu, R. Hasegawa, M. Koshimura, H. Fujita, ICTAI 2013"
    distribution = "python-sat"
    modules = ("pysat.card",)

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        pysat_templates.constrain(cnf, "mtotalizer", x)
