"""`pigeonhole`: n + 1 pigeons in n holes, at most one in each.

S. Cook, R. Reckhow, "The relative efficiency of propositional proof systems", Journal of Symbolic
Logic 44, 1979. Each refutation by resolution has exponential length: A. Haken, "The intractability
of resolution", Theoretical Computer Science 39, 1985. Options are (pigeon, hole), both from 0.
Pigeons are primary items, holes secondary ones. An exact cover puts each pigeon in only one hole,
so this is the functional pigeonhole principle, whose refutations are no shorter. `more` is the
number of pigeons beyond n; with more=0 there are n! solutions.

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> print(dimacs.text(load_encoding("pairwise").clauses(load_family("pigeonhole").of_size(1))))
p cnf 2 3
1 0
2 0
-1 -2 0
"""

from nqbench.families.base import Family
from nqbench.plugins.parameters import Whole
from nqbench.problems.pigeonhole import Pigeonhole


class Pigeonholes(Family):
    """n + 1 pigeons in n holes for each n, or n + more."""

    meaning = "n + 1 pigeons in n holes"
    reference = "A. Haken, Theoretical Computer Science 39, 1985"
    problem = Pigeonhole
    parameters = {"more": Whole(default=1, least=0)}

    def of_size(self, n: int) -> Pigeonhole:
        return Pigeonhole(n, int(self.values["more"]), self.name)
