"""Symmetries of a problem, and which solutions are kept of those that they take to each other.

J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR
1996. A symmetry is a permutation of the options that takes each solution to a solution. Of a
solution and its images, the lexicographically greatest one, the lex-leader, is always kept.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Variables = NDArray[np.int32]
"""Variables of options, shape (k,)."""


@dataclass(frozen=True, slots=True, eq=False)
class LexLeader:
    """Permutations of the options, and the one order in which solutions are compared with images.

    `images`, shape (permutations, options), has the variable of each option's image. `order`, shape
    (k,), has the variables that are compared, the first one first; it may leave out others. A
    solution is kept if, for each permutation, the values of `order` in the solution are
    lexicographically at least those of the images of `order`, where true is greater than false.
    """

    images: NDArray[np.int32]
    order: Variables

    def orbit(self, chosen: Iterable[int]) -> set[frozenset[int]]:
        """The images of some options, given as variables, by any sequence of the permutations. The
        options themselves are one of them.

        >>> turn = LexLeader(np.array([[2, 3, 1]], np.int32), np.array([1, 2, 3], np.int32))
        >>> sorted(map(sorted, turn.orbit([1, 2])))
        [[1, 2], [1, 3], [2, 3]]
        """
        images = [[0, *image] for image in self.images.tolist()]
        waiting = [frozenset(chosen)]
        reached = set(waiting)
        while waiting:
            options = waiting.pop()
            new = {frozenset(image[v] for v in options) for image in images} - reached
            reached |= new
            waiting += new
        return reached
