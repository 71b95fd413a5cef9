"""`colouring`: colours on the vertices of a graph such that neighbours differ.

DIMACS, second implementation challenge, 1993. Options are (vertex, colour), both from 0; files,
messages and drawings count them from 1. Vertices are primary items; each edge has a secondary item
for each colour. Graphs are queen graphs, Mycielski graphs or DIMACS files: see `problems.graphs`.
Without `colours`, a queen graph gets n, since fewer are never enough, and a Mycielski graph n + 1.

>>> from nqbench.instances import dimacs
>>> from nqbench.plugins import load_encoding, load_family
>>> edge = load_family("colouring:graph=mycielski").of_size(1)
>>> print(dimacs.text(load_encoding("pairwise").clauses(edge)))
p cnf 4 6
1 2 0
3 4 0
-1 -2 0
-3 -4 0
-1 -3 0
-2 -4 0
"""

from nqbench.errors import InputError
from nqbench.families.base import Family
from nqbench.plugins.parameters import Choice, Whole
from nqbench.problems import graphs
from nqbench.problems.base import Problem
from nqbench.problems.colouring import Colouring


class Colourings(Family):
    """A queen graph or a Mycielski graph for each n, or graphs from files, which have no n."""

    meaning = "colours on the vertices of a graph, different for neighbours"
    reference = "DIMACS, second implementation challenge, 1993"
    problem = Colouring
    suffixes = (".col",)
    parameters = {
        "graph": Choice("queen", ("queen", "mycielski")),
        "colours": Whole(default=0, least=0),
    }

    @property
    def colours(self) -> int:
        """The number of colours; 0 for the default."""
        return int(self.values["colours"])

    def of_size(self, n: int) -> Colouring:
        is_queen = self.values["graph"] == "queen"
        graph = graphs.queen(n) if is_queen else graphs.mycielski(n)
        return Colouring(graph, self.colours or (n if is_queen else n + 1), n, self.name)

    def parsed(self, text: str, source: str, name: str) -> list[Problem]:
        graph = graphs.parse(text, source)
        if not self.colours:
            raise InputError(f"{source}: how many colours? Give --family colouring:colours=4")
        return [Colouring(graph, self.colours, None, self.name, name)]
