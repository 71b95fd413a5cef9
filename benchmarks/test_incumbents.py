"""What it costs a solver to report the better models that it finds.

tox -e bench -- benchmarks/test_incumbents.py
"""

import random
import statistics
from itertools import cycle

import pytest

import nqbench
from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.backends.fit import encoding_to_optimise
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome, Task
from nqbench.encodings.base import Encoding
from nqbench.isolate.shared_memory import Incumbents
from nqbench.measure.search import Search
from nqbench.measure.worker import objective_for
from nqbench.problems.instances import model_size

SHAPES = {
    "cp-sat": [(60, 30), (58, 30)],
    "highs": [(50, 20), (55, 20)],
    "exact": [(40, 6), (44, 5)],
    "pumpkin": [(24, 5), (25, 5)],
    "rc2:strata=on": [(17, 2), (18, 2)],
}
"""Variables and rows of knapsacks that take each solver about 0.1 to 1 s."""

ROUNDS = 11
LIMITS = Limits(time_s=60.0)


def knapsack(variables, rows, seed):
    """The text of a knapsack with so many variables and rows."""
    dice = random.Random(seed)

    def terms(sign, least, most):
        numbers = ((dice.randint(least, most), v + 1) for v in range(variables))
        return [(sign * number, v) for number, v in numbers]

    lines = [f"max: {' '.join(f'{w:+} x{v}' for w, v in terms(1, 10, 90))} ;"]
    for _ in range(rows):
        row = terms(-1, 5, 60)
        lines.append(
            f"{' '.join(f'{w:+} x{v}' for w, v in row)} >= {sum(w for w, _ in row) // 3} ;"
        )
    return "\n".join([f"* #variable= {variables} #constraint= {rows}", *lines, ""])


def solving(formula, backend):
    """A function that solves the formula in a new process, with or without reporting, and returns
    the CPU time of the call of the solver.
    """
    encoding = Encoding.named(encoding_to_optimise(formula, backend))
    instance = encoding.encode(formula)

    def solve(is_reporting):
        incumbents = Incumbents(model_size(instance)) if is_reporting else None
        objective = objective_for(Task.BEST, formula, instance)

        def call():
            search = Search(
                formula, encoding, backend, instance, objective=objective, incumbents=incumbents
            )
            assert search.first() is not None
            return f"{search.solve.cpu_s}".encode()

        ending = isolate.call(call, LIMITS)
        assert ending.outcome is Outcome.FINISHED, ending.message
        assert not is_reporting or incumbents.last is not None
        return float(ending.payload)

    return solve


@pytest.mark.parametrize("name", SHAPES)
def test_reporting_models(tmp_path, figure, scaled, name):
    """The runs alternate, so that the load of the machine is the same for both."""
    backend, seconds = Backend.named(name), {True: 0.0, False: 0.0}
    for seed, shape in enumerate(scaled(SHAPES[name], [(6, 1)])):
        path = tmp_path / f"{seed}.opb"
        path.write_text(knapsack(*shape, seed))
        (formula,) = nqbench.formulas(path)
        solve, took = solving(formula, backend), {True: [], False: []}
        for is_reporting, _ in zip(cycle(took), range(2 * scaled(ROUNDS, 1)), strict=False):
            took[is_reporting].append(solve(is_reporting))
        for is_reporting, times in took.items():
            seconds[is_reporting] += statistics.median(times)
    more = seconds[True] / seconds[False] - 1
    figure(f"incumbents/{name.partition(':')[0]}", 100 * more, "%")
