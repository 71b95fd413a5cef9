"""Proofs for templates whose auxiliary variables count, by lemmas about prefixes.

In a totalizer or a sequential counter, an auxiliary variable v is true only if at least j of some
main variables are. If these are the ones from a to b in some order, then at least p before a, and
v, are at least p + j before b. Such lemmas follow one from the other, and the last is that no more
than the bound are true. Solvers do not find them for many variables.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from nqbench.checking.row_clauses import Tree, balanced
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.measure.implication.implications import Definition, Extension


@dataclass(frozen=True, slots=True)
class Threshold:
    """At least `least` of the main variables in `among` are true, as bits: 1 << (v - 1) for v."""

    among: int
    least: int


NEVER: Final = Threshold(0, 0)
"""What a variable implies that is always false."""


def thresholds(n: int, definitions: Sequence[Definition]) -> dict[int, Threshold] | None:
    """What each defined variable implies, with variables 1..n; None if one is not defined by
    thresholds of parts that are disjoint.
    """
    implied = {v: Threshold(1 << (v - 1), 1) for v in range(1, n + 1)}
    for definition in definitions:
        if definition.literal < 0:
            return None
        cases = []
        for clause in definition.clauses:
            if any(literal > 0 for literal in clause):
                return None
            parts = [implied[-literal] for literal in clause]
            if NEVER in parts:
                continue
            among = 0
            for part in parts:
                if among & part.among:
                    return None
                among |= part.among
            cases.append(Threshold(among, sum(part.least for part in parts)))
        among = 0
        for case in cases:
            among |= case.among
        least = min((case.least for case in cases), default=0)
        implied[definition.literal] = Threshold(among, least) if cases else NEVER
    return implied


def shape_of(n: int, sets: Iterable[int]) -> Tree:
    """A tree of the variables 1..n that has a part for each of these sets, which are bits as those
    of a threshold. A set is left out if it overlaps a smaller one without containing it.
    """
    shapes: dict[int, Tree] = {}  # of the largest sets so far, which do not overlap
    for among in sorted({*sets, (1 << n) - 1} - {0}, key=int.bit_count):
        inner = [each for each in shapes if each & among]
        if any(each & ~among for each in inner):
            continue
        rest = among & ~sum(inner)
        parts = [shapes.pop(each) for each in inner]
        parts += [v for v in range(1, n + 1) if rest >> (v - 1) & 1]
        shapes[among] = balanced(parts)
    return shapes[(1 << n) - 1]


def cones(n: int, definitions: Sequence[Definition]) -> list[int]:
    """For each defined variable the set of those of 1..n that its value depends on, as bits."""
    found = {v: 1 << (v - 1) for v in range(1, n + 1)}
    for definition in definitions:
        among = 0
        for clause in definition.clauses:
            for literal in clause:
                among |= found[abs(literal)]
        found[abs(definition.literal)] = among
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Prefixes:
    """States that at most `most` of the variables in `order` are true, by a counter: variable
    `at(i, j)` is true if and only if at least j of the first i are. They come after `after`.
    """

    order: Sequence[int]
    most: int
    after: int

    def at(self, i: int, j: int) -> int:
        """The variable, for 1 <= j <= min(i, `most` + 1)."""
        return self.after + (i - 1) * (self.most + 1) + j

    def premise(self) -> CNF:
        """The counter, with the main variables in `order`."""
        n = len(self.order)
        cnf = CNFBuilder(num_main=n)
        cnf.fresh(self.after + n * (self.most + 1) - n)
        for i, x in enumerate(self.order, start=1):
            for j in range(1, min(i, self.most + 1) + 1):
                now = self.at(i, j)
                above = [self.at(i - 1, j)] if j < i else []  # that j before x are
                beside = [self.at(i - 1, j - 1)] if j > 1 else []  # that j - 1 before x are
                for v in above:
                    cnf.add([[-v, now]])
                cnf.add([[-x, *(-v for v in beside), now]])
                cnf.add([[-now, *above, x]])
                for v in beside:
                    cnf.add([[-now, *above, v]])
        cnf.add([[-self.at(n, self.most + 1)]])
        return cnf.build_by_width()


@dataclass(slots=True)
class Lemmas:
    """The lemmas for definitions by thresholds, whose clauses have these `reasons`."""

    prefixes: Prefixes
    implied: dict[int, Threshold]
    definitions: Sequence[Definition]
    extension: Extension
    _intervals: dict[int, tuple[int, int]] = field(default_factory=dict, init=False)
    """The places of neighbours, from the first to before the end."""

    def __post_init__(self) -> None:
        place = {v: i for i, v in enumerate(self.prefixes.order)}
        for among in {each.among for each in self.implied.values()} - {0}:
            places = [i for v, i in place.items() if among >> (v - 1) & 1]
            self._intervals[among] = min(places), max(places) + 1

    @property
    def are_possible(self) -> bool:
        """Whether each threshold is about neighbours."""
        return all(
            end - first == among.bit_count() for among, (first, end) in self._intervals.items()
        )

    def proof(self) -> BinaryIO:
        """A DRAT proof that the formula of the extension has no model."""
        lines = (" ".join(map(str, [*clause, 0])) for clause in self._clauses())
        return io.BytesIO("\n".join(lines).encode())

    def _clauses(self) -> Iterator[list[int]]:
        for definition, reasons in zip(self.definitions, self.extension.reasons, strict=True):
            threshold = self.implied[definition.literal]
            for clause, reason in zip(definition.clauses, reasons, strict=True):
                if any(self.implied[-literal] == NEVER for literal in clause):
                    yield [-reason]
                elif len(clause) > 1 or self.implied[reason] != threshold:
                    yield from self._lemmas(reason, threshold)
            yield from self._lemmas(definition.literal, threshold)
        yield from ([-literal] for literal in self.extension.broken)
        yield []

    def _lemmas(self, literal: int, threshold: Threshold) -> Iterator[list[int]]:
        if threshold == NEVER:
            yield [-literal]
            return
        first, end = self._intervals[threshold.among]
        highest = self.prefixes.most + 1
        for before in range(min(first, highest - 1) + 1):
            reached = min(before + threshold.least, highest)
            lemma = [-literal]
            if before:
                lemma.append(-self.prefixes.at(first, before))
            if reached <= end:
                lemma.append(self.prefixes.at(end, reached))
            yield lemma
