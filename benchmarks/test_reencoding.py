"""How long it takes to find at-most-one constraints in a large formula, and to write them.

    tox -e bench -- --on-request benchmarks/test_reencoding.py

The formula has 70,000 constraints on 2.5 million variables: of 12 literals in pairs, and of 20 in
`sequential` and `product`. About half of its ten million clauses are random, of two and three
literals. In the shuffled one, the clauses are in random order.
"""

import time

import msgspec
import numpy as np
import pytest

from nqbench import isolate
from nqbench.clauses import dimacs
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.rewriting.detection import find_constraints
from nqbench.clauses.rewriting.rewrite import reencode
from nqbench.clauses.stamp import stamp
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome
from nqbench.encodings.rewriting import scheme

CONSTRAINTS = {"pairwise": (40_000, 12), "sequential": (20_000, 20), "product": (10_000, 20)}
"""The number of constraints in each scheme, and of literals in each."""


def formula(clauses, random):
    """A formula of so many clauses, and the number of its constraints."""
    scale = clauses / 10_000_000
    variables = int(2_000_000 * scale)
    made = CNFBuilder(variables)
    free, signs = random.permutation(variables) + 1, [-1, 1]
    number = 0
    for name, (count, size) in CONSTRAINTS.items():
        several = int(count * scale)
        chosen, free = np.split(free, [several * size])
        items = (chosen * random.choice(signs, len(chosen))).reshape(-1, size).astype(np.int32)
        made.require(items)
        stamp(made, scheme(name).at_most_one(size), items)
        number += several
    rest = clauses - made.build().num_clauses
    for width, several in ((3, 3 * rest // 5), (2, rest - 3 * rest // 5)):
        shape = (several, width)
        drawn = random.integers(1, variables + 1, shape) * random.choice(signs, shape)
        made.add(drawn.astype(np.int32))
    return made.build(), number


def text(made, order):
    """The clauses in this order, as a DIMACS file."""
    flat = made.flat()
    ends = np.flatnonzero(flat == 0) + 1
    starts = np.concatenate([[0], ends[:-1]])
    literals = np.concatenate([flat[starts[i] : ends[i]] for i in order])
    header = f"p cnf {made.num_variables} {made.num_clauses}\n"
    return header.encode() + " ".join(map(str, literals.tolist())).encode()


def written(path, clauses, shuffles):
    """Write a formula of so many clauses, and return the number of its constraints."""
    random = np.random.default_rng(1)
    made, number = formula(clauses, random)
    every = np.arange(made.num_clauses)
    path.write_bytes(text(made, random.permutation(every) if shuffles else every))
    return msgspec.msgpack.encode(number)


def searched(path):
    """The seconds to find, and to find and write, and how many constraints are written."""
    made = dimacs.read(path.read_bytes(), path.name)
    started = time.perf_counter()
    every = find_constraints(made)
    took = time.perf_counter() - started
    started = time.perf_counter()
    done = reencode(made, scheme("product"))
    both = time.perf_counter() - started
    assert every.is_exact
    return msgspec.msgpack.encode((took, both, len(done.replaced)))


@pytest.mark.on_request
@pytest.mark.parametrize("shuffles", [False, True], ids=["as-written", "shuffled"])
def test_search(figure, scaled, shuffles, tmp_path):
    clauses, path = scaled(10_000_000, 10_000), tmp_path / "formula.cnf"
    limits = Limits(time_s=600.0, memory_bytes=2**34)
    endings = []
    for call in (lambda: written(path, clauses, shuffles), lambda: searched(path)):
        ending = isolate.call(call, limits)
        assert ending.outcome is Outcome.FINISHED, ending.message
        endings.append(msgspec.msgpack.decode(ending.payload))
    number, (took, both, replaced) = endings
    assert 0.9 * number <= replaced <= number
    name = f"reencoding/{'shuffled' if shuffles else 'as-written'}"
    figure(f"{name}/find", took, "s")
    figure(f"{name}/find-and-write", both, "s")
    figure(f"{name}/memory", ending.peak_rss_bytes / 1e9, "GB")
