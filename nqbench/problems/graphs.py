"""Graphs: queen graphs, Mycielski graphs, and those in DIMACS files.

DIMACS, "Clique and coloring problems: graph format", 1993. M. Iyer, V. Menon, "On coloring the
n x n chessboard", American Mathematical Monthly 73, 1966; M. Vasquez, "On the queen graph coloring
problem", 2006; the chromatic numbers of queen graphs are OEIS A088202. J. Mycielski, "Sur le
coloriage des graphs", Colloquium Mathematicum 3, 1955.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Final

from nqbench.errors import InputError

Edge = tuple[int, int]
"""Two vertices, the smaller one first."""

LARGEST: Final = 1_000_000
"""The largest number of vertices."""

LARGEST_QUEEN: Final = 64
"""The largest n of a queen graph, which has n(n-1)(5n-1)/3 edges: 428,736."""

LARGEST_MYCIELSKI: Final = 12
"""The largest number of a Mycielski graph. Each has more than three times the edges of the one
before; this one has 613,871.
"""

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
    Raises `InputError` unless there are 1 to `LARGEST` vertices and each edge has two of them.
    """

    vertices: int
    edges: tuple[Edge, ...]
    chromatic: int | None = None
    columns: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.vertices <= LARGEST:
            raise InputError(f"{self.vertices} vertices: a graph has 1 to {LARGEST}")
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
        place = f"{source}, line {number}"
        if header is None:
            header = (number, *_header(line, place))
        else:
            edges.append(_edge(line, place, header[1]))
    if header is None:
        raise InputError(f"{source}: no graph: expected a line 'p edge VERTICES EDGES'")
    if len(edges) != header[2]:
        place = f"{source}, line {header[0]}"
        raise InputError(f"{place}: {header[2]} edges stated, but {len(edges)} lines with edges")
    return Graph(header[1], tuple(edges))


def _header(line: str, place: str) -> tuple[int, int]:
    found = re.fullmatch(r"p\s+(?:edges?|col)\s+(\d{1,9})\s+(\d{1,9})", line.strip(), re.ASCII)
    if found is None:
        raise InputError(f"{place}: {_shown(line)}: expected 'p edge VERTICES EDGES'")
    vertices, edges = int(found[1]), int(found[2])
    if not 1 <= vertices <= LARGEST:
        raise InputError(f"{place}: {vertices} vertices: expected 1 to {LARGEST}")
    return vertices, edges


def _edge(line: str, place: str, vertices: int) -> Edge:
    found = re.fullmatch(r"e\s+(\d{1,9})\s+(\d{1,9})", line.strip(), re.ASCII)
    if found is None:
        raise InputError(f"{place}: {_shown(line)}: expected an edge, 'e U V'")
    one, other = sorted((int(found[1]), int(found[2])))
    if not 1 <= one < other <= vertices:
        what = f"expected two different vertices from 1 to {vertices}"
        raise InputError(f"{place}: {_shown(line)}: {what}")
    return one - 1, other - 1


def _shown(line: str) -> str:
    return repr(line.strip()[:40])
