"""Checks that permutations are symmetries of the rules, and states which solutions they keep.

J. Crawford, M. Ginsberg, E. Luks, A. Roy, "Symmetry-breaking predicates for search problems", KR
1996. Why at least one solution of each class remains: a permutation p of the options that maps the
rules to themselves takes each solution to a solution. Let S be a solution of a class whose values
of `order` are lexicographically greatest. The values of the images of `order` in S are those of
`order` in the image of S under the inverse of p, which is in the class, too; so they are not
greater, and S is kept. It does not matter which options `order` lists, but it must be one order for
all permutations.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nqbench.clauses.cnf import CNF, as_blocks
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.rules import Literals, Rules


def flaw(rules: Rules, leader: LexLeader) -> str | None:
    """Why all solutions of a class may be left out, in words; None if one of each class is kept,
    since the permutations are symmetries of the rules.
    """
    every = np.arange(1, len(rules.options) + 1)
    if not np.isin(leader.order, every).all():
        return "an option that is compared does not exist"
    clashing = np.concatenate([np.zeros((0, 2), np.int32), *rules.clashing()])
    for number, image in enumerate(leader.images, start=1):
        if not np.array_equal(np.sort(image), every):
            return f"symmetry {number} is no permutation of the options"
        if changed := _find_change(rules, clashing, image):
            return f"symmetry {number} is none of the rules: it changes {changed}"
    return None


def _find_change(rules: Rules, clashing: NDArray[np.int32], image: NDArray[np.int32]) -> str | None:
    """What differs in the rules if each option is replaced by its image; None if nothing does."""

    def move(group: Literals) -> Literals:
        moved: Literals = np.sign(group) * image[np.abs(group) - 1]
        return moved

    if not np.array_equal(_pairs(clashing), _pairs(image[clashing - 1])):
        return "which options clash"
    needed = rules.needed_literals()
    if _groups(needed) != _groups(map(move, needed)):
        return "which options are needed"
    for bounds in {(counted.least, counted.most) for counted in rules.counted}:
        same = [
            counted.literals for counted in rules.counted if (counted.least, counted.most) == bounds
        ]
        if _groups(same) != _groups(map(move, same)):
            return "which options are counted"
    given = rules.given()
    if set(given) != {int(image[v - 1]) if v > 0 else -int(image[-v - 1]) for v in given}:
        return "which options are given"
    return None


def _pairs(two: NDArray[np.int32]) -> NDArray[np.int64]:
    """The pairs as numbers, ascending; the order in a pair does not matter."""
    low, high = np.sort(two, axis=1).astype(np.int64).T
    return np.unique((low << 32) + high)


def _groups(groups: Iterable[Literals]) -> set[bytes]:
    return {np.sort(group).astype(np.int32).tobytes() for group in groups}


def add_lex_leaders(cnf: CNF, leader: LexLeader, after: int) -> CNF:
    """The formula, whose first variables are the options, together with the clauses that allow the
    solutions that are kept, and perhaps others. They have new variables after this one.
    """
    clauses: list[list[int]] = []
    for image in leader.images.tolist():
        differs: list[int] = []  # a literal that is false if all values so far are equal
        for option in leader.order.tolist():
            other = image[option - 1]
            if option == other:
                continue
            after += 1
            clauses += [
                [*differs, option, -other],
                [*differs, after, option],
                [*differs, after, -other],
            ]
            differs = [-after]
    blocks = as_blocks(sorted(clauses, key=len))
    return CNF(max(after, cnf.num_variables), cnf.num_main, (*cnf.blocks, *blocks))
