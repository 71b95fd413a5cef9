"""Graphs to colour, and the rules of a colouring."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from nqbench.errors import InputError
from nqbench.problems.base import Problem
from nqbench.problems.cover import Cover, along
from nqbench.problems.graphs import Graph
from nqbench.problems.options import Box, Option
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

LARGEST: Final = 10**8
"""The largest number of options, as on the largest board of queens."""


@dataclass(frozen=True, slots=True)
class Colouring(Problem):
    """Give each vertex one of `colours` colours, and neighbours different ones.

    An option is (vertex, colour), both from 0. `n`: the size of the graph in its family; None for a
    graph from a file. Raises `InputError` without colours, or with too many options.
    """

    graph: Graph
    colours: int
    n: int | None = None
    family: str = "colouring"
    instance: str = ""

    def __post_init__(self) -> None:
        if self.colours < 1:
            raise InputError(f"colours is {self.colours}: a colouring has at least 1")
        if self.graph.vertices * self.colours > LARGEST:
            raise InputError(
                f"{self.graph.vertices} vertices with {self.colours} colours: "
                f"their product is at most {LARGEST}"
            )

    @property
    def satisfiable(self) -> bool | None:
        known = self.graph.chromatic
        return None if known is None else self.colours >= known

    @property
    def solution_size(self) -> int:
        """The number of vertices."""
        return self.graph.vertices

    @property
    def options(self) -> Box:
        return Box(self.graph.vertices, self.colours)

    def cover(self) -> Cover:
        """Vertices are primary items; an edge and a colour are a secondary one."""
        count = self.graph.vertices * self.colours
        options = np.arange(1, count + 1, dtype=np.int32).reshape(-1, self.colours)
        edges = np.array(self.graph.edges, dtype=np.int32).reshape(-1, 2)
        neighbours = (along(options[edges], 1),) if len(edges) else ()
        return Cover(count, (options,), neighbours)

    def rules(self) -> Rules:
        """No vertex has two colours, and no neighbours have the same. Each vertex has a colour."""
        vertices = self.graph.vertices
        adjacent = np.zeros((vertices, vertices), dtype=np.bool_)
        for one, other in self.graph.edges:
            adjacent[one, other] = adjacent[other, one] = True

        def clash(one: Numbers, other: Numbers) -> Flags:
            same_vertex, same_colour = one == other
            found: Flags = same_vertex | (same_colour & adjacent[one[0], other[0]])
            return found

        vertex, _ = numbers(self.options, 2)
        return Rules(self.options, clash, [vertex == each for each in range(vertices)])

    def violation(self, solution: Iterable[Option]) -> str | None:
        colour_of: dict[int, int] = {}
        for vertex, colour in solution:
            if not (0 <= vertex < self.graph.vertices and 0 <= colour < self.colours):
                return f"no vertex {vertex + 1} with colour {colour + 1}"
            if vertex in colour_of:
                return f"vertex {vertex + 1} has two colours"
            colour_of[vertex] = colour
        missing = next((v for v in range(self.graph.vertices) if v not in colour_of), None)
        if missing is not None:
            return f"vertex {missing + 1} has no colour"
        for one, other in self.graph.edges:
            if colour_of[one] == colour_of[other]:
                colour = colour_of[one] + 1
                return f"the neighbours {one + 1} and {other + 1} both have colour {colour}"
        return None

    def drawing(self, solution: Iterable[Option]) -> str:
        """The colours of a queen graph as a board; otherwise a line 'vertex: colour' for each."""
        colour_of = {vertex: str(colour + 1) for vertex, colour in solution}
        if not self.graph.columns:
            return "\n".join(f"{vertex + 1}: {colour_of[vertex]}" for vertex in sorted(colour_of))
        width = len(str(self.colours))
        shown = [colour_of.get(v, ".").rjust(width) for v in range(self.graph.vertices)]
        columns = self.graph.columns
        rows = [shown[start : start + columns] for start in range(0, len(shown), columns)]
        return "\n".join(map(" ".join, rows))
