"""Whether one solver that is asked for one k after another is faster than a new one for each k.

tox -e bench -- benchmarks/test_incremental.py
"""

import statistics

import nqbench

SEARCHES = {
    "queen-domination:k=10": (8, 9, 10),
    "peaceable-queens:k=1": (6, 7),
    "squares-free:k=6": (6, 7),
}
SOLVERS = ("cadical195", "glucose4", "minisat22")


def searched(family, sizes, backend, search):
    """For each n, the best k that a search proves, and the solve time of all its steps."""
    found = nqbench.optimum(family, sizes, encoding="totalizer", backend=backend, search=search)
    assert all(each.is_proven for each in found)
    return [(each.best, sum(record.solve_s for record in each.records)) for each in found]


def test_incremental_searches(figure, scaled):
    ratios = []
    for family, sizes in scaled(SEARCHES, {"squares-free:k=6": (5,)}).items():
        for backend in scaled(SOLVERS, SOLVERS[:1]):
            linear = searched(family, sizes, backend, "linear")
            incremental = searched(family, sizes, backend, "incremental")
            for (best, one_s), (same, other_s) in zip(linear, incremental, strict=True):
                assert best == same
                ratios.append(other_s / one_s)
    figure("incremental/searches", len(ratios), "")
    figure("incremental/least", min(ratios), "times")
    figure("incremental/median", statistics.median(ratios), "times")
    figure("incremental/most", max(ratios), "times")
