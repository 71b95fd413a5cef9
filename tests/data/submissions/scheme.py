"""Right: the class of an encoding."""

from nqbench.plugin import Block, CNFBuilder, LineEncoding


class Scheme(LineEncoding):
    reference = "C. Sinz, CP 2005"

    def constrain(self, cnf: CNFBuilder, x: Block) -> None:
        passed = cnf.fresh_array(len(x) - 1)
        cnf.add_each(-x[:-1], passed)
        cnf.add_each(-passed[:-1], passed[1:])
        cnf.add_each(-x[1:], -passed)
