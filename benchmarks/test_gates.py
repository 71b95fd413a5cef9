"""How often a gate on counters trips without a change, and with a small one.

tox -e bench -- benchmarks/test_gates.py
"""

import random

import polars as pl

import nqbench
from nqbench.addons.compare.gate import Gate, compared

GATE = Gate(on_change=True)
"""As the action has it by default."""

SMALLEST = 50
"""Of fewer conflicts, 1 % is less than half a conflict."""


def campaign(scaled):
    """Four combinations on five problems, once; every run has at least `SMALLEST` conflicts."""
    grid = {"encodings": ["pairwise", "product"], "backends": ["minisat22", "cadical195"]}
    sizes = scaled({"pigeonhole": "5..7", "queens": "40,48"}, {"pigeonhole": "5"})
    problems = [each for of in sizes.items() for each in nqbench.problems_of(*of)]
    records = nqbench.run(problems, repeat=1, **grid)
    assert records["conflicts"].min() >= SMALLEST
    return records


def trips(old, new):
    return bool(GATE.failures(compared(old, new, "conflicts")))


def test_gates(figure, scaled):
    """Without a change the campaign is measured again; with one, the conflicts of a random
    combination, and in every second try of a random run, are 1 % more, rounded.
    """
    tries = scaled(20, 1)
    old = campaign(scaled)
    alarms = sum(trips(old, campaign(scaled)) for _ in range(tries))
    figure("gate/alarms", alarms, "of 20")
    found, source = 0, random.Random(0)
    for i in range(tries):
        run = source.choice(old.select("encoding", "backend", "run_id").rows(named=True))
        same = ["run_id"] if i % 2 else ["encoding", "backend"]
        chosen = pl.all_horizontal(pl.col(name) == run[name] for name in same)
        more = (1.01 * pl.col("conflicts")).round().cast(pl.Int64)
        changed = old.with_columns(conflicts=pl.when(chosen).then(more).otherwise("conflicts"))
        found += trips(old, changed)
    figure("gate/trips", found, "of 20")
    assert alarms == 0
    assert found == tries
