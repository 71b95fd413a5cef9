"""Looks for the variables of a formula that are the options, by which of them exclude each other.

Which variables cannot both be true is found by unit propagation, which is enough for all encodings
of at most one in use. The options and the variables are then the vertices of two graphs, and a map
is an isomorphism: found by refining colours and, where these do not tell vertices apart, by trying
(B. Weisfeiler, A. Leman, 1968). A map that is found is a guess, to be examined like any other.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nqbench.checking import reference
from nqbench.clauses.cnf import CNF, Block
from nqbench.clauses.comment_lines import Description
from nqbench.problems.options import Box, Option
from nqbench.problems.rules import Rules

Graph = NDArray[np.bool_]
"""Which two vertices are adjacent: shape (vertices, vertices), symmetric."""

Colours = NDArray[np.uint64]
"""The colour of each vertex."""

_MOST_VARIABLES: Final = 4_000
_MOST_TRIALS: Final = 2_000
_MOST_MAPS: Final = 16
_SOLVER: Final = "minisat22"


def find_map(formula: CNF, rules: Rules) -> Block | None:
    """The variable of each option, shape (options,), by which the formula may be right; None if
    nothing is found. Calls a solver, so it has to run in a separate process.
    """
    count = len(rules.options)
    if rules.clash is None or not count <= formula.num_variables <= _MOST_VARIABLES:
        return None
    wanted = np.zeros((count, count), np.bool_)
    for clashing in rules.clashing():
        one, other = clashing.T - 1
        wanted[one, other] = wanted[other, one] = True
    excluded = _excluded(formula)
    # Of few rows, a placed queen can decide others by propagation.
    by_propagation = _excluded(reference.clauses(rules))[:count, :count]
    lengths = set(map(len, rules.needed_literals()))
    for target in (wanted, by_propagation):
        for candidates in _candidates(formula, lengths, count):
            part = excluded[np.ix_(candidates - 1, candidates - 1)]
            maps = [candidates[image] for image in _isomorphisms(target, part)]
            if maps:
                return min(maps, key=lambda one: _plainness(rules.options, one))
    return None


def in_words(options: Sequence[Option], variables: Block) -> str:
    """How the variables follow from the options, if that is a simple formula; otherwise ranges."""
    description = Description().with_literals(options, variables[:, np.newaxis])
    if len(description.ranges) == 1:
        first, last = description.ranges[0]
        return f"{first} to {last}"
    if (weights := _affine(options, variables)) is not None:
        *factors, constant = weights
        names = ["row", "column"] if len(factors) == 2 else [f"number {at}" for at in range(9)]
        terms = [
            name if factor == 1 else f"{factor} * {name}"
            for factor, name in zip(factors, names, strict=False)
        ]
        return f"{' + '.join(terms)} + {constant}, counted from 0".replace("+ -", "- ")
    return "those below"


def _excluded(formula: CNF) -> Graph:
    """Which two variables exclude each other by unit propagation: shape (variables, variables)."""
    from pysat.solvers import Solver

    size = formula.num_variables
    excluded = np.zeros((size, size), np.bool_)
    with Solver(_SOLVER, bootstrap_with=formula.clauses()) as solver:
        for variable in range(1, size + 1):
            _, literals = solver.propagate(assumptions=[variable])
            false = -np.array([literal for literal in literals if literal < 0], dtype=np.int64)
            excluded[variable - 1, false[false <= size] - 1] = True
    both: Graph = excluded | excluded.T
    np.fill_diagonal(both, val=False)
    return both


def _candidates(formula: CNF, lengths: set[int], count: int) -> Iterator[Block]:
    """Yield sets of as many variables as there are options: those of long clauses without
    negations, and those that follow each other.
    """
    wide = [block for block in formula.blocks if block.shape[1] in lengths]
    positive = [block[(block > 0).all(axis=1)].ravel() for block in wide]
    needed = np.unique(np.concatenate([*positive, np.zeros(0, np.int32)])).astype(np.int32)
    if len(needed) == count:
        yield needed
    for start in {1, formula.num_variables - count + 1}:
        every = np.arange(start, start + count, dtype=np.int32)
        if not np.array_equal(every, needed):
            yield every


def _isomorphisms(one: Graph, other: Graph) -> Iterator[NDArray[np.intp]]:
    """Yield some isomorphisms: for each vertex of the one graph, its image in the other."""
    if one.sum() != other.sum():
        return
    start = np.ones(len(one), np.uint64)
    waiting = [(start, start)]
    trials = found = 0
    while waiting and trials < _MOST_TRIALS and found < _MOST_MAPS:
        trials += 1
        colours, images = (
            _refine(graph, colour)
            for graph, colour in zip((one, other), waiting.pop(), strict=True)
        )
        if not np.array_equal(np.sort(colours), np.sort(images)):
            continue
        values, counts = np.unique(colours, return_counts=True)
        if len(values) == len(colours):
            image = np.empty(len(colours), np.intp)
            image[np.argsort(colours)] = np.argsort(images)
            if np.array_equal(one, other[np.ix_(image, image)]):
                found += 1
                yield image
            continue
        rare = np.where(counts > 1, counts, counts.max() + 1)
        colour = values[np.argmin(rare)]
        vertex = int(np.argmax(colours == colour))
        marked = _marked(colours, vertex)
        alike = np.flatnonzero(images == colour).tolist()
        waiting += [(marked, _marked(images, candidate)) for candidate in alike]


def _refine(graph: Graph, colours: Colours) -> Colours:
    """Colours that also say how many neighbours have which colour, until nothing changes."""
    number = len(np.unique(colours))
    while True:
        mixed = _mix(colours)
        sums = (graph * mixed[np.newaxis]).sum(axis=1, dtype=np.uint64)
        colours = _mix(colours * np.uint64(3) + sums)
        if len(np.unique(colours)) == number:
            return colours
        number = len(np.unique(colours))


def _marked(colours: Colours, vertex: int) -> Colours:
    marked = colours.copy()
    marked[vertex] += np.uint64(1)
    return marked


def _mix(values: Colours) -> Colours:
    """Numbers that look random: S. Vigna's splitmix64."""
    with np.errstate(over="ignore"):
        values = values + np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return values ^ (values >> np.uint64(31))


def _plainness(options: Sequence[Option], variables: Block) -> tuple[int, int, bool, int]:
    """How plain a map is, the plainest first."""
    ranges = len(Description().with_literals(options, variables[:, np.newaxis]).ranges)
    weights = _affine(options, variables)
    is_odd = weights is None or min(weights) < 0
    kind = 0 if ranges == 1 else 1 if weights is not None else 2
    return kind, ranges, is_odd, int(variables[0])


def _affine(options: Sequence[Option], variables: Block) -> list[int] | None:
    """Whole numbers a, b, ..., d so that the variable of an option (r, c, ...) is a * r + b * c +
    ... + d; None if there are none.
    """
    if not isinstance(options, Box) or not len(options):
        return None
    numbers = np.array(list(options), dtype=np.int64)
    steps = []
    for axis in range(numbers.shape[1]):
        beside = np.flatnonzero((numbers == np.eye(numbers.shape[1], dtype=np.int64)[axis]).all(1))
        if not beside.size:
            return None
        steps.append(int(variables[beside[0]]) - int(variables[0]))
    constant = int(variables[0])
    fits = np.array_equal(numbers @ np.array(steps) + constant, variables)
    return [*steps, constant] if fits else None
