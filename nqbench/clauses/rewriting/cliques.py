"""Covers the edges of a graph with few maximal cliques of at least three nodes.

An edge in no triangle is a maximal clique itself, and not listed. Without such edges, the graph
falls into components. A component is searched exactly: all its maximal cliques are listed (C. Bron,
J. Kerbosch, Communications of the ACM 16, 1973, algorithm 457, with the pivots of E. Tomita et al.,
Theoretical Computer Science 363, 2006), and the cover takes the clique with most edges that no
clique has yet, again and again. If a component has too many nodes or cliques for that, each clique
grows from an uncovered edge instead, by the node with most neighbours among those that can still
join.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

Edges = NDArray[np.int64]
"""Pairs of nodes, numbered from 0; shape (edges, 2)."""

MOST_NODES: Final = 5_000
"""Nodes of a component that is searched exactly."""

MOST_CLIQUES: Final = 30_000
"""Maximal cliques of a component, above which the search is given up for the greedy one."""


MOST_STEPS: Final = 1_000_000_000
"""Pairs of edges with a common node that are looked at for triangles, those of nodes with few of
them first. An edge of which this says nothing may be in a triangle or not.
"""

_STEPS_AT_ONCE: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class Cover:
    """Maximal cliques of at least three nodes that cover all edges in triangles, each as sorted
    nodes; and whether all components were searched exactly.
    """

    cliques: list[list[int]]
    is_exact: bool


def cover_edges(nodes: int, edges: Edges) -> Cover:
    """Cover the edges of a graph with this number of nodes. Loops and repeated edges count once.

    >>> cover_edges(4, np.array([[0, 1], [0, 2], [1, 2], [2, 3]])).cliques
    [[0, 1, 2]]
    """
    edges = edges[edges[:, 0] != edges[:, 1]]
    edges = _in_triangles(_graph(nodes, edges))
    if not len(edges):
        return Cover([], is_exact=True)
    _, component = connected_components(_graph(nodes, edges), directed=False)
    order = np.argsort(component[edges[:, 0]], kind="stable")
    sorted_edges = edges[order]
    starts = np.flatnonzero(np.diff(component[sorted_edges[:, 0]])) + 1
    cliques, is_exact = [], True
    for part in np.split(sorted_edges, starts):
        members, numbers = np.unique(part, return_inverse=True)
        if len(part) == len(members) * (len(members) - 1) // 2:
            cliques.append(members.tolist())
            continue
        own = numbers.reshape(-1, 2)
        exact_cover = _exact(_neighbours(len(members), own)) if len(members) <= MOST_NODES else None
        is_exact &= exact_cover is not None
        if exact_cover is None:
            cliques += [members[clique].tolist() for clique in _greedy(len(members), own)]
        else:
            names = members.tolist()
            cliques += [[names[at] for at in _bits(clique)] for clique in exact_cover]
    return Cover([clique for clique in cliques if len(clique) > 2], is_exact)


def _in_triangles(graph: csr_array) -> Edges:
    """The edges of a graph, each once, without those that were found to be in no triangle."""
    steps = graph.astype(np.int64) @ np.diff(graph.indptr)
    rows = np.argsort(steps, kind="stable")
    rows = rows[np.cumsum(steps[rows]) <= MOST_STEPS]
    chunk_numbers = np.cumsum(steps[rows]) // _STEPS_AT_ONCE
    alone = [np.zeros((0, 2), np.int64)]
    for some in np.split(rows, np.flatnonzero(np.diff(chunk_numbers)) + 1):
        near = graph[some]
        is_alone = near > near.multiply(near @ graph)
        at, neighbours = is_alone.nonzero()
        alone.append(np.column_stack([some[at], neighbours]))
    first, second = np.concatenate(alone).T
    count = graph.shape[0]
    without = np.sort(np.minimum(first, second) * count + np.maximum(first, second))
    starts = np.repeat(np.arange(count), np.diff(graph.indptr))
    is_once = starts < graph.indices
    every = starts[is_once] * count + graph.indices[is_once]
    return np.stack(np.divmod(every[~are_in(every, without)], count), axis=1)


def are_in(values: NDArray[Any], some: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each value is one of some sorted ones. `numpy.isin` takes ten times as long for
    millions.
    """
    if not len(some):
        return np.zeros(len(values), np.bool_)
    places = np.searchsorted(some, values)
    is_equal: NDArray[np.bool_] = some[np.minimum(places, len(some) - 1)] == values
    return is_equal


def _graph(nodes: int, edges: Edges) -> csr_array:
    """The graph as a symmetric matrix with sorted rows."""
    ones = np.ones(2 * len(edges), np.bool_)
    rows, columns = edges.ravel(), edges[:, ::-1].ravel()
    graph = csr_array((ones, (rows, columns)), shape=(nodes, nodes))
    graph.sum_duplicates()
    graph.sort_indices()
    return graph


def _neighbours(count: int, edges: Edges) -> list[int]:
    """The neighbours of each node, as the bits of a number."""
    neighbours = [0] * count
    for a, b in edges.tolist():
        neighbours[a] |= 1 << b
        neighbours[b] |= 1 << a
    return neighbours


def _bits(number: int) -> Iterator[int]:
    """The positions of the bits of a number, in order."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _exact(neighbours: list[int]) -> list[int] | None:
    """A cover by cliques chosen from all maximal ones; None if they are too many."""
    cliques = []
    for clique in _maximal(neighbours):
        cliques.append(clique)
        if len(cliques) > MOST_CLIQUES:
            return None
    uncovered = list(neighbours)
    # The largest gain was true when it was computed, and can only have become smaller since.
    waiting = [(-_gain(clique, uncovered), number) for number, clique in enumerate(cliques)]
    heapq.heapify(waiting)
    cover = []
    while waiting:
        before, number = heapq.heappop(waiting)
        gain = _gain(cliques[number], uncovered)
        if gain < -before:
            if gain:
                heapq.heappush(waiting, (-gain, number))
            continue
        if not gain:
            break
        cover.append(cliques[number])
        _cover(cliques[number], uncovered)
    return cover


def _maximal(neighbours: list[int]) -> Iterator[int]:
    """All maximal cliques."""
    everyone = (1 << len(neighbours)) - 1
    # What is in the clique, what can join it, and what could but was tried already.
    stack = [(0, everyone, 0)]
    while stack:
        clique, candidates, excluded = stack.pop()
        if not candidates:
            if not excluded:
                yield clique
            continue
        pivot = max(
            _bits(candidates | excluded), key=lambda v: (candidates & neighbours[v]).bit_count()
        )
        for node in _bits(candidates & ~neighbours[pivot]):
            own = neighbours[node]
            stack.append((clique | 1 << node, candidates & own, excluded & own))
            candidates ^= 1 << node
            excluded |= 1 << node


def _gain(clique: int, uncovered: list[int]) -> int:
    """Twice the number of uncovered edges in a clique."""
    return sum((uncovered[node] & clique).bit_count() for node in _bits(clique))


def _cover(clique: int, uncovered: list[int]) -> None:
    for node in _bits(clique):
        uncovered[node] &= ~clique


def _greedy(nodes: int, edges: Edges) -> Iterator[NDArray[np.intp]]:
    """A cover by cliques that each grow from an uncovered edge of a node, among its neighbours."""
    graph = _graph(nodes, edges)
    starts, ends = graph.indptr, graph.indices
    is_open = np.ones(len(ends), np.bool_)
    for node in range(nodes):
        own = slice(starts[node], starts[node + 1])
        if not is_open[own].any():
            continue
        near = ends[own]
        among = [
            _among(near, ends[starts[neighbour] : starts[neighbour + 1]]) for neighbour in near
        ]
        while is_open[own].any():
            clique = _grow_clique(int(is_open[own].argmax()), among)
            members = np.sort(np.append(near[list(_bits(clique))], node))
            yield members
            for member in members:
                row = slice(starts[member], starts[member + 1])
                places = np.searchsorted(ends[row], members[members != member])
                is_open[row.start + places] = False


def _among(near: NDArray[np.int32], nodes: NDArray[np.int32]) -> int:
    """Which of some nodes are others, as bits; both are sorted."""
    return int.from_bytes(np.packbits(are_in(near, nodes), bitorder="little").tobytes(), "little")


def _grow_clique(node: int, neighbours: list[int]) -> int:
    """A maximal clique with this node: the next one has most neighbours that can still join."""
    clique, candidates = 1 << node, neighbours[node]
    while candidates:
        joining = {v: (candidates & neighbours[v]).bit_count() for v in _bits(candidates)}
        if min(joining.values()) == len(joining) - 1:
            return clique | candidates
        best = max(joining, key=joining.__getitem__)
        clique |= 1 << best
        candidates &= neighbours[best]
    return clique
