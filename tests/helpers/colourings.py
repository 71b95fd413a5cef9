"""Colourings of graphs, and the answers of a solver."""

import nqbench
from nqbench.problems.families.base import Family

QUEEN_COLOURS = (1, 4, 5, 5, 5, 7, 7, 9, 10, 11, 11, 12)
"""OEIS A088202 from n = 1."""


def answers(problems, **chosen):
    records = nqbench.run(
        problems, encodings="pairwise", backends="cadical195", repeat=1, time_limit=60, **chosen
    )
    assert set(records["verdict"]) == {"verified"}
    return records


def colouring(kind, n, colours):
    return Family.named(f"colouring:graph={kind}:colours={colours}").of_size(n)
