"""`langford`: two copies of each of 1..n in a row, the two copies of k at a distance of k + 1.

C. D. Langford, Mathematical Gazette 42, 1958; D. Knuth, TAOCP 4B, section 7.2.2.1. Options are
(k - 1, place of the first copy), both from 0. Numbers and places are primary items. There is a
solution if and only if n mod 4 is 0 or 3 (R. Davies, Mathematical Gazette 43, 1959).

A row and its mirror image count once, as in OEIS A014552: the odd number n or n - 1 has its options
in the left half only. Its copies are an even distance apart, so they never mirror themselves.

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> pairs = load_family("langford").of_size(3)
>>> pairs.options
((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (2, 0))
>>> print(dimacs.text(load_encoding("pairwise").clauses(pairs)))
p cnf 8 32
1 2 3 4 0
5 6 7 0
8 0
1 5 8 0
1 3 7 0
2 4 5 0
3 6 8 0
2 6 0
4 7 0
-1 -2 0
-1 -3 0
-1 -4 0
-2 -3 0
-2 -4 0
-3 -4 0
-5 -6 0
-5 -7 0
-6 -7 0
-1 -5 0
-1 -8 0
-5 -8 0
-1 -3 0
-1 -7 0
-3 -7 0
-2 -4 0
-2 -5 0
-4 -5 0
-3 -6 0
-3 -8 0
-6 -8 0
-2 -6 0
-4 -7 0
"""

from nqbench.families.base import Family
from nqbench.problems.langford import Langford


class LangfordPairs(Family):
    """The numbers 1..n, twice each, for each n."""

    meaning = (
        "two copies of each of 1..n, those of k at a distance of k + 1; mirror images count once"
    )
    reference = "C. D. Langford, Mathematical Gazette 42, 1958"
    problem = Langford
