"""`cover`: any exact cover from a file in Knuth's format.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1. Choose options so that each
primary item is covered exactly once, and each secondary item at most once. The format is that of
his programs DLX1 and XCC1, see `nqbench.problems.cover_file`. Option (k,) is the line of the option
k, counted from 0. Equal lines are different options. Here item c is secondary:

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> text = "a b | c\\na b\\na c\\nb c"
>>> (small,) = load_family("cover").parsed(text, "small.cover", "small")
>>> print(dimacs.text(load_encoding("pairwise").clauses(small)))
p cnf 3 5
1 2 0
1 3 0
-1 -2 0
-1 -3 0
-2 -3 0
"""

from nqbench.families.base import Family
from nqbench.problems import cover_file
from nqbench.problems.base import Problem
from nqbench.problems.exact_cover import ExactCover


class ExactCovers(Family):
    """Exact covers in files."""

    meaning = "any exact cover in a file of Knuth's format"
    reference = "D. Knuth, TAOCP 4B, 7.2.2.1"
    problem = ExactCover
    has_sizes = False
    suffixes = (".cover", ".dlx")

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        return [cover_file.parse(text, source, name)]
