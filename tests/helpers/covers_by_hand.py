"""Covers, tilings and regions that were made by hand."""

from itertools import product

from nqbench.problems.families.base import Family

TOY = """| Knuth, TAOCP 4B, 7.2.2.1 (6)
a b c d e f g
c e
a d g
b c f
a d f
b g
d e g
"""


# By hand: 'a' is one square, (0, 1), which leaves one of the two placements of size 4.
BY_HAND = "b a c c\nb b c c\nb b c d\nb d d d\n"


def cover(text, name="toy"):
    (problem,) = Family.named("cover").parsed(text, f"{name}.cover", name)
    return problem


def regions(text, name="puzzle"):
    (problem,) = Family.named("regions").parsed(text, f"{name}.regions", name)
    return problem


def drawn(n, instances=2, seed=0):
    return list(Family.named("regions").drawn([n], [], instances, seed))


def tiling(rows, columns):
    """The domino tilings of a board, as a cover."""
    squares = [f"{r},{c}" for r, c in product(range(rows), range(columns))]
    across = [f"{r},{c} {r},{c + 1}" for r, c in product(range(rows), range(columns - 1))]
    down = [f"{r},{c} {r + 1},{c}" for r, c in product(range(rows - 1), range(columns))]
    return cover("\n".join([" ".join(squares), *across, *down]))


def queens(n):
    """The queens of an n x n board, as a cover."""
    lines = [[f"r{r}", f"c{c}", f"u{r + c}", f"d{r - c}"] for r, c in product(range(n), range(n))]
    first = sorted({name for line in lines for name in line[:2]})
    second = sorted({name for line in lines for name in line[2:]})
    text = "\n".join([" ".join([*first, "|", *second]), *map(" ".join, lines)])
    return cover(text, "queens")
