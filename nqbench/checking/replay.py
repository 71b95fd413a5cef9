"""Replays proofs in binary LRAT, as the core does, in Python and independently of it.

It is slow, and checks short proofs a second time. It looks for what the core keeps account of: the
clauses that a resolution asymmetric tautology has to be resolved with, for instance.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

Clause = frozenset[int]


class _Flaw(Exception):  # noqa: N818 - a result, not an error
    """Why the proof is not valid."""


def flaw(clauses: Iterable[Sequence[int]], variables: int, proof: bytes) -> str | None:
    """Return why these bytes do not prove that the clauses have no model, or None if they do.

    `variables`: the largest variable in formula and proof. See `core/lrat.c` for the format and for
    what each step has to show.
    """
    replay = _Replay(variables, deque(map(frozenset, clauses)))
    try:
        for position, (offset, kind, lists) in enumerate(_steps(proof), start=1):
            if replay.is_refuted:
                return f"step {position}, byte {offset}: a step after the empty clause"
            try:
                replay.take(kind, lists)
            except _Flaw as error:
                return f"step {position}, byte {offset}: {error}"
    except _Flaw as error:
        return str(error)
    return None if replay.is_refuted else "the proof ends without the empty clause"


def _steps(proof: bytes) -> Iterator[tuple[int, str, list[list[int]]]]:
    """Yield where each step begins, its letter, and its lists of integers, without their zeros."""
    at = 0
    while at < len(proof):
        begin, kind = at, chr(proof[at])
        if kind not in "ad":
            raise _Flaw(f"byte {begin}: no step begins like this")
        at += 1
        lists: list[list[int]] = [[]]
        num_lists = 2 if kind == "a" else 1
        while len(lists) <= num_lists:
            number, at = _number(proof, at)
            if number == 0:
                lists.append([])
            elif number == 1:
                raise _Flaw(f"byte {at}: a negative zero")
            else:
                lists[-1].append(-(number // 2) if number % 2 else number // 2)
        yield begin, kind, lists[:-1]


def _number(proof: bytes, at: int) -> tuple[int, int]:
    """The number that begins at `at`, as it is written, and where the next one begins."""
    end = at
    while end < len(proof) and proof[end] > 127:
        end += 1
    if end - at >= 9:
        raise _Flaw(f"byte {at}: a number of more than 63 bits")
    if end == len(proof):
        raise _Flaw(f"byte {end}: the proof ends within a step")
    number = 0
    for byte in reversed(proof[at : end + 1]):
        number = number * 128 + byte % 128
    return number, end + 1


@dataclass(slots=True)
class _Replay:
    """The clauses so far: `waiting` are those of the formula that have no id yet."""

    variables: int
    waiting: deque[Clause]
    named: dict[int, Clause] = field(default_factory=dict)
    last: int = 0
    is_refuted: bool = False

    def take(self, kind: str, lists: list[list[int]]) -> None:
        if kind == "d":
            for name in lists[0]:
                self._name_below(name + 1)
                self._find(name)
                del self.named[name]
        elif not lists[0]:
            raise _Flaw("an addition without an id")
        else:
            name, *literals = lists[0]
            self._add(name, literals, lists[1])

    def _name_below(self, name: int) -> None:
        while self.waiting and self.last + 1 < name:
            self.last += 1
            self.named[self.last] = self.waiting.popleft()

    def _find(self, name: int) -> Clause:
        if name not in self.named:
            raise _Flaw(f"no clause has the id {name}")
        return self.named[name]

    def _add(self, name: int, literals: list[int], hints: list[int]) -> None:
        self._name_below(name)
        if name != self.last + 1:
            raise _Flaw(f"the id {name} is not the next one, {self.last + 1}")
        clause = frozenset(literals)
        if any(abs(literal) > self.variables for literal in clause):
            raise _Flaw("a literal has no variable of the formula")
        if any(-literal in clause for literal in clause):
            raise _Flaw("a clause contains a literal and its negation")
        # Propagation comes first; a negative hint names a clause to resolve with.
        first_negative = next((i for i, hint in enumerate(hints) if hint < 0), len(hints))
        true = {-literal for literal in clause}
        if self._becomes_false(hints[:first_negative], true):
            if first_negative < len(hints):
                raise _Flaw("a hint is too many")
        elif not literals:
            raise _Flaw("the empty clause does not follow")
        else:
            self._check_resolvents(literals[0], hints[first_negative:], true)
        self.named[name] = clause
        self.last = name
        self.is_refuted = not clause

    def _check_resolvents(self, pivot: int, hints: list[int], true: set[int]) -> None:
        """Check each clause that contains `-pivot`, with `true` being what is true already.

        A resolvent with a literal and its negation is true in every assignment, and needs no hints:
        whether the one comes from the new clause and the other from the old one, or both are in the
        old one. So does an old clause that has both `pivot` and `-pivot`, which stays true whatever
        becomes of `pivot`. Clauses without `-pivot` may be listed: what is shown of them is not
        needed.
        """
        against = -pivot
        if any(against in clause for clause in self.waiting):
            raise _Flaw("a clause of the formula that has no id yet may not be left out")
        starts = [i for i, hint in enumerate(hints) if hint < 0]
        listed = [-hints[i] for i in starts]
        if listed != sorted(set(listed)):
            raise _Flaw("the clauses to resolve with are not in order")
        required_ids = {name for name, clause in self.named.items() if against in clause}
        if left_out := required_ids.difference(listed):
            raise _Flaw(f"it needs hints for each of the clauses {sorted(left_out)}")
        for name, begin, end in zip(listed, starts, [*starts, len(hints)][1:], strict=True):
            clause = self._find(name)
            other_literals = clause - {against}
            also_true = true | {-literal for literal in other_literals}
            is_true = bool(other_literals & also_true) or {pivot, against} <= clause
            if not self._becomes_false(hints[begin + 1 : end], also_true, is_true):
                raise _Flaw(f"the resolvent with clause {name} does not follow")

    def _becomes_false(self, hints: list[int], true: set[int], is_false: bool = False) -> bool:
        """Whether these hints make a clause false, which has to be the last one. Adds to `true`."""
        for name in hints:
            undecided = {literal for literal in self._find(name) if -literal not in true}
            if is_false or len(undecided) > 1:
                raise _Flaw(f"the hint {name} is too many, or its clause has two literals left")
            is_false = not undecided
            true |= undecided
        return is_false
