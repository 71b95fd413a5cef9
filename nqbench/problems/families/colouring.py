"""`colouring`: colours on the vertices of a graph such that neighbours differ.

DIMACS, second implementation challenge, 1993. Options are (vertex, colour), both from 0; files,
messages and drawings count them from 1. Vertices are primary items; each edge has a secondary item
for each colour. Graphs are queen graphs, Mycielski graphs or DIMACS files.
Without `colours`, a queen graph gets n, since fewer are never enough, and a Mycielski graph n + 1.
With `cliques=stated`, a clique of as many vertices as there are colours is a primary item for each
colour: it has each of them once. That follows by the pigeonhole principle, which solvers do not
find by themselves.
With `symmetry=clique`, encodings fix the colours of a clique: vertex i of it has colour i, as any
colouring can be renamed to have.

The chromatic numbers of queen graphs are OEIS A088202: M. Iyer, V. Menon, "On coloring the n x n
chessboard", American Mathematical Monthly 73, 1966; M. Vasquez, "On the queen graph coloring
problem", 2006. Mycielski graphs: J. Mycielski, "Sur le coloriage des graphs", Colloquium
Mathematicum 3, 1955.

>>> from nqbench.clauses import dimacs
>>> from nqbench.encodings.base import Encoding
>>> from nqbench.problems.families.base import Family
>>> edge = Family.named("colouring:graph=mycielski").of_size(1)
>>> print(dimacs.text(Encoding.named("pairwise").clauses(edge)))
p cnf 4 6
1 2 0
3 4 0
-1 -2 0
-3 -4 0
-1 -3 0
-2 -4 0
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar, Final

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import Rows
from nqbench.common.errors import InputError, Place, at
from nqbench.plugins.parameters import Choice, Whole
from nqbench.problems.base import Problem
from nqbench.problems.cover import along
from nqbench.problems.families.base import Family
from nqbench.problems.lex_leader import LexLeader
from nqbench.problems.options import Box, Option
from nqbench.problems.picture import Cell, Picture, circle, grid
from nqbench.problems.rules import Flags, Numbers, Rules, numbers

Edge = tuple[int, int]
"""Two vertices, the smaller one first."""

LARGEST_GRAPH: Final = 1_000_000
"""The largest number of vertices."""

LARGEST_QUEEN: Final = 64
"""The largest n of a queen graph, which has n(n-1)(5n-1)/3 edges: 428,736."""

LARGEST_MYCIELSKI: Final = 12
"""The largest number of a Mycielski graph. Each has more than three times the edges of the one
before; this one has 613,871.
"""

MOST_CLIQUES: Final = 100
"""The largest number of cliques that are looked for to find a large one."""

MOST_EDGES: Final = 10_000
"""The largest number of edges whose cliques are looked for."""

_QUEEN_COLOURS: Final[Mapping[int, int]] = MappingProxyType(
    {2: 4, 3: 5, 4: 5, 6: 7, 8: 9, 9: 10, 10: 11}
)
_LARGEST_KNOWN: Final = 26
_DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True, slots=True)
class Graph:
    """Vertices 0..vertices-1, and edges without direction.

    `chromatic`: the smallest number of colours for its vertices, as a theorem states; None if no
    theorem applies. `columns`: the vertices in each row of a drawing; 0 if they form no rows.
    Raises `InputError` unless there are 1 to `LARGEST_GRAPH` vertices and each edge has two of
    them.
    """

    vertices: int
    edges: tuple[Edge, ...]
    chromatic: int | None = None
    columns: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.vertices <= LARGEST_GRAPH:
            raise InputError(f"{self.vertices} vertices: a graph has 1 to {LARGEST_GRAPH}")
        edges = sorted({(min(edge), max(edge)) for edge in self.edges})
        for one, other in edges:
            if not 0 <= one < other < self.vertices:
                raise InputError(
                    f"edge {(one, other)}: expected two different vertices below {self.vertices}"
                )
        object.__setattr__(self, "edges", tuple(edges))


def queen(n: int) -> Graph:
    """The queen graph: squares of an n x n board, row by row, with an edge where queens attack each
    other. Raises `InputError`.
    """
    _check("queen", n, LARGEST_QUEEN)
    edges = []
    for row, column, (down, right) in product(range(n), range(n), _DIRECTIONS):
        for step in range(1, n):
            r, c = row + step * down, column + step * right
            if r < n and 0 <= c < n:
                edges.append((row * n + column, r * n + c))
    # If n has no factor 2 or 3, the shifts of a solution on the torus are n colours.
    is_known = n <= _LARGEST_KNOWN or math.gcd(n, 6) == 1
    chromatic = _QUEEN_COLOURS.get(n, n) if is_known else None
    return Graph(n * n, tuple(edges), chromatic, n)


def mycielski(k: int) -> Graph:
    """The Mycielski graph that DIMACS calls `myciel<k>`: without triangles for k > 1, and with
    chromatic number k + 1. k = 1 is one edge. Raises `InputError`.
    """
    _check("mycielski", k, LARGEST_MYCIELSKI)
    vertices, edges = 2, [(0, 1)]
    for _ in range(1, k):
        copies = [
            (u, vertices + v) for one, other in edges for u, v in ((one, other), (other, one))
        ]
        top = [(vertices + v, 2 * vertices) for v in range(vertices)]
        vertices, edges = 2 * vertices + 1, edges + copies + top
    return Graph(vertices, tuple(edges), k + 1)


def _check(kind: str, n: int, largest: int) -> None:
    if not 1 <= n <= largest:
        raise InputError(f"n is {n}: a {kind} graph has an n of 1 to {largest}")


@lru_cache(maxsize=8)
def clique(graph: Graph, enough: int) -> list[int]:
    """Vertices that are all neighbours of each other: the first `enough` that are found, or as many
    as are found. Greedily, from each of the `MOST_CLIQUES` vertices with the most neighbours.
    """
    near = _neighbours(graph)
    best: list[int] = []
    for vertex in sorted(range(graph.vertices), key=lambda v: -len(near[v]))[:MOST_CLIQUES]:
        best = max(best, _grow_clique([vertex], near, enough), key=len)
        if len(best) == enough:
            break
    return best


@lru_cache(maxsize=8)
def cliques(graph: Graph, size: int) -> list[list[int]]:
    """Cliques of this many vertices, each sorted: those that are found from the first `MOST_EDGES`
    edges, greedily.
    """
    near = _neighbours(graph)
    candidates = {
        tuple(sorted(_grow_clique([*edge], near, size)))
        for edge in graph.edges[:MOST_EDGES]
        if size > 1
    }
    return [list(clique) for clique in sorted(candidates) if len(clique) == size]


def _neighbours(graph: Graph) -> list[set[int]]:
    near: list[set[int]] = [set() for _ in range(graph.vertices)]
    for one, other in graph.edges:
        near[one].add(other)
        near[other].add(one)
    return near


def _grow_clique(clique: list[int], near: Sequence[set[int]], enough: int) -> list[int]:
    """The clique with further vertices: always the one that leaves the most to choose from."""
    candidates = set.intersection(*(near[vertex] for vertex in clique))
    while candidates and len(clique) < enough:
        clique.append(max(candidates, key=lambda v: (len(near[v] & candidates), -v)))
        candidates = candidates & near[clique[-1]]
    return clique


def parse(text: str, source: str) -> Graph:
    """Parse a DIMACS `.col` file: comments `c`, then `p edge VERTICES EDGES` or `p col`, then
    `e U V` for each edge, with vertices from 1. An edge may be there twice, once in each direction.
    Raises an `InputError` with the source, the line, and what was expected.
    """
    header: tuple[int, int, int] | None = None
    edges: list[Edge] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("c"):
            continue
        with at(source, line=number):
            if header is None:
                header = (number, *_header(line))
            else:
                edges.append(_edge(line, header[1]))
    if header is None:
        raise InputError("no graph: expected a line 'p edge VERTICES EDGES'", place=Place(source))
    if len(edges) != header[2]:
        reason = f"{header[2]} edges stated, but {len(edges)} lines with edges"
        raise InputError(reason, place=Place(source, header[0]))
    return Graph(header[1], tuple(edges))


def _header(line: str) -> tuple[int, int]:
    match = re.fullmatch(r"p\s+(?:edges?|col)\s+(\d{1,9})\s+(\d{1,9})", line.strip(), re.ASCII)
    if match is None:
        raise InputError(f"{_quoted(line)}: expected 'p edge VERTICES EDGES'")
    vertices, edges = int(match[1]), int(match[2])
    if not 1 <= vertices <= LARGEST_GRAPH:
        raise InputError(f"{vertices} vertices: expected 1 to {LARGEST_GRAPH}")
    return vertices, edges


def _edge(line: str, vertices: int) -> Edge:
    match = re.fullmatch(r"e\s+(\d{1,9})\s+(\d{1,9})", line.strip(), re.ASCII)
    if match is None:
        raise InputError(f"{_quoted(line)}: expected an edge, 'e U V'")
    one, other = sorted((int(match[1]), int(match[2])))
    if not 1 <= one < other <= vertices:
        expected = f"expected two different vertices from 1 to {vertices}"
        raise InputError(f"{_quoted(line)}: {expected}")
    return one - 1, other - 1


def _quoted(line: str) -> str:
    return repr(line.strip()[:40])


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
    symmetry: str = "none"
    has_cliques: bool = False

    added: ClassVar[Mapping[str, Any]] = MappingProxyType({**Problem.added, "has_cliques": False})

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
        chromatic = self.graph.chromatic
        return None if chromatic is None else self.colours >= chromatic

    @property
    def solution_size(self) -> int:
        """The number of vertices."""
        return self.graph.vertices

    @property
    def options(self) -> Box:
        return Box(self.graph.vertices, self.colours)

    def constraints(self) -> Constraints:
        """Each vertex has one colour, and at most one end of an edge has a colour. With
        `has_cliques`, each colour is that of one vertex of each of the `cliques`.
        """
        count = self.graph.vertices * self.colours
        options = np.arange(1, count + 1, dtype=np.int32).reshape(-1, self.colours)
        edges = np.array(self.graph.edges, dtype=np.int32).reshape(-1, 2)
        neighbours = (along(options[edges], 1),) if len(edges) else ()
        exactly_one = [options]
        if self.has_cliques and (clique_vertices := cliques(self.graph, self.colours)):
            exactly_one.append(along(options[np.array(clique_vertices)], 1))
        return Constraints.of(
            count,
            *(Rows.exactly(items, 1) for items in exactly_one),
            *(Rows.at_most(items, 1) for items in neighbours),
        )

    def rules(self) -> Rules:
        """No vertex has two colours, and no neighbours have the same. Each vertex has a colour."""
        vertices = self.graph.vertices
        adjacent = np.zeros((vertices, vertices), dtype=np.bool_)
        for one, other in self.graph.edges:
            adjacent[one, other] = adjacent[other, one] = True

        def clash(one: Numbers, other: Numbers) -> Flags:
            same_vertex, same_colour = one == other
            clashes: Flags = same_vertex | (same_colour & adjacent[one[0], other[0]])
            return clashes

        vertex, _ = numbers(self.options, 2)
        return Rules(self.options, clash, [vertex == v for v in range(vertices)])

    def lex_leader(self) -> LexLeader:
        """Swaps of two neighbouring colours; compared are the vertices of a clique."""
        colours = np.arange(self.colours)
        swaps = np.tile(colours, (self.colours - 1, 1))
        swaps[colours[:-1], colours[:-1]] += 1
        swaps[colours[:-1], colours[1:]] -= 1
        starts = np.arange(1, len(self.options) + 1, self.colours)  # of each vertex
        images = (starts[:, np.newaxis] + swaps[:, np.newaxis]).reshape(
            len(swaps), len(self.options)
        )
        clique_starts = starts[clique(self.graph, self.colours), np.newaxis]
        return LexLeader(
            images.astype(np.int32), (clique_starts + colours).ravel().astype(np.int32)
        )

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

    def picture(self, solution: Iterable[Option]) -> Picture:
        """The board of a queen graph, or else the vertices on a circle; numbers are of colours."""
        colour_of = {option[0]: option[1] for option in solution}
        cells = [
            Cell(str(colour_of[vertex] + 1), colour_of[vertex]) if vertex in colour_of else Cell()
            for vertex in range(self.graph.vertices)
        ]
        label = f"{self.graph.vertices} vertices in {self.colours} colours"
        if columns := self.graph.columns:
            by_square = {divmod(vertex, columns): cell for vertex, cell in enumerate(cells)}
            return grid(label, -(-len(cells) // columns), columns, by_square)
        return circle(label, cells, self.graph.edges)

    def drawing(self, solution: Iterable[Option]) -> str:
        """The colours of a queen graph as a board; otherwise a line 'vertex: colour' for each."""
        colour_of = {vertex: str(colour + 1) for vertex, colour in solution}
        if not self.graph.columns:
            return "\n".join(f"{vertex + 1}: {colour_of[vertex]}" for vertex in sorted(colour_of))
        width = len(str(self.colours))
        symbols = [colour_of.get(v, ".").rjust(width) for v in range(self.graph.vertices)]
        columns = self.graph.columns
        rows = [symbols[start : start + columns] for start in range(0, len(symbols), columns)]
        return "\n".join(map(" ".join, rows))


class Colourings(Family):
    """A queen graph or a Mycielski graph for each n, or graphs from files, which have no n."""

    meaning = "colours on the vertices of a graph, different for neighbours"
    reference = "DIMACS, second implementation challenge, 1993"
    problem = Colouring
    suffixes = (".col",)
    parameters = {
        "graph": Choice("queen", ("queen", "mycielski")),
        "colours": Whole(default=0, least=0),
        "cliques": Choice("none", ("none", "stated")),
        "symmetry": Choice("none", ("none", "clique")),
    }

    @property
    def colours(self) -> int:
        """The number of colours; 0 for the default."""
        return int(self.values["colours"])

    @property
    def symmetry(self) -> str:
        """Which symmetry encodings break."""
        return str(self.values["symmetry"])

    @property
    def has_cliques(self) -> bool:
        """Whether cliques are stated."""
        return bool(self.values["cliques"] == "stated")

    def of_size(self, n: int) -> Colouring:
        is_queen = self.values["graph"] == "queen"
        graph = queen(n) if is_queen else mycielski(n)
        colours = self.colours or (n if is_queen else n + 1)
        return Colouring(
            graph, colours, n, self.name, symmetry=self.symmetry, has_cliques=self.has_cliques
        )

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        graph = parse(text, source)
        if not self.colours:
            raise InputError(
                "how many colours? Give `family=colouring:colours=4`", place=Place(source)
            )
        problem = Colouring(
            graph, self.colours, None, self.name, name, self.symmetry, self.has_cliques
        )
        return [problem]
