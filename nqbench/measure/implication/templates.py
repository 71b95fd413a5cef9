"""Shows that a template is not too strict: that each choice of its main variables of which at least
and at most so many are true extends to the auxiliary variables; and that it is not too loose: that
no other choice does.

A template is the small formula that a scheme states rows of a file with: see `checking.stamping`.
The auxiliary variables are defined by the others, and a checked proof shows that the defined values
make all clauses true. Whatever finds the definitions and the proof is not believed.
"""

import heapq
import io
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import msgspec
import numpy as np

from nqbench.checking import proof, stamping
from nqbench.checking.file_rows import FileRows
from nqbench.checking.row_clauses import counted, leaves
from nqbench.checking.stamping import Stamping
from nqbench.checking.verify import ProofState
from nqbench.clauses.cnf import CNF, Assignment
from nqbench.common.errors import InputError
from nqbench.measure.implication import counting_lemmas, elimination, implications
from nqbench.measure.implication.counting_lemmas import Lemmas, Prefixes, shape_of
from nqbench.measure.implication.implications import Definition, Subject
from nqbench.measure.implication.steps import Direction, State, Steps

_Show = Callable[[CNF, int, int], Direction]


@dataclass(slots=True)
class Templates:
    """Examines templates, each once."""

    steps: Steps
    _known: dict[tuple[str, str, int, int], Direction] = field(default_factory=dict)

    def show_not_too_strict(self, template: CNF, least: int, most: int) -> Direction:
        """Whether each choice of the main variables of which at least `least` and at most `most`
        are true extends to a model. If refuted, the message has such a choice.

        Raises `ValueError` if the template is not well formed, or if no choice meets the bounds.
        """
        return self._once(self._shown, template, least, most)

    def show_not_too_loose(self, template: CNF, least: int, most: int) -> Direction:
        """Whether each model has at least `least` and at most `most` true main variables. If
        refuted, the message has those of a model that has not.

        Raises `ValueError` if the template is not well formed, or if no choice meets the bounds.
        """
        return self._once(self._shown_tight, template, least, most)

    def _once(self, show: "_Show", template: CNF, least: int, most: int) -> Direction:
        template.check()
        if not 0 <= least <= most <= template.num_main:
            raise ValueError(f"{least} to {most} of {template.num_main} variables")
        key = show.__name__, template.digest(), least, most
        if key not in self._known:
            self._known[key] = show(template, least, most)
        return self._known[key]

    def show_implied(
        self, instance: CNF, file: FileRows, stampings: Sequence[Stamping]
    ) -> Direction:
        """Whether each choice of variables that the rows of a file allow extends to a model of the
        instance: it has the clauses of the file and copies of templates, none of which is too
        strict. Then, if the instance has no model, the file has none.

        Raises `NotCheckedError` if they cannot be compared, for instance since a formula is not
        well formed.
        """
        return self._by_templates(instance, file, stampings, self.show_not_too_strict)

    def show_implying(
        self, instance: CNF, file: FileRows, stampings: Sequence[Stamping]
    ) -> Direction:
        """Whether each model of the instance meets the rows of a file: it has the clauses of the
        file and copies of templates, none of which is too loose. Raises `NotCheckedError`, as
        `show_implied` does.
        """
        return self._by_templates(instance, file, stampings, self.show_not_too_loose)

    def _by_templates(
        self,
        instance: CNF,
        file: FileRows,
        stampings: Sequence[Stamping],
        show: "_Show",
    ) -> Direction:
        """What follows from the templates of an instance, if it is made of copies of these. If it
        is not, nothing is known.
        """

        def compare() -> bytes:
            try:
                return (stamping.flaw(instance, file, stampings) or "").encode()
            except InputError as error:
                return str(error).encode()

        if flaw := self.steps.call("comparing the instance with its rows", compare):
            return Direction(message=flaw.decode(errors="replace"))
        for each in stampings:
            shown = show(each.template, each.least, each.most)
            if shown.state is not State.PROVED:
                bounds = f"at most {each.most}" if not each.least else f"{each.least}..{each.most}"
                subject = f"the template for {bounds} of {each.template.num_main}"
                return Direction(shown.state, f"{subject}: {shown.message}")
        return Direction(State.PROVED)

    def _shown(self, template: CNF, least: int, most: int) -> Direction:
        if of_main_variables := _of_main_variables(template, least, most):
            return of_main_variables
        shown = Direction(message="no definitions of the auxiliary variables were found")
        for state in (_by_lemmas, _in_order, _mirrored, _by_elimination):
            make = partial(state, template, least, most, self.steps.is_contradiction)
            try:
                claim, lemmas = msgspec.msgpack.decode(
                    self.steps.call("defining auxiliary variables", make), type=tuple[bytes, bytes]
                )
                if claim:
                    formula = CNF.unpack(memoryview(claim))
                    shown = self._examined(template, least, most, formula, lemmas)
            except proof.NotCheckedError as error:
                shown = Direction(message=str(error))
            if shown.state is not State.OPEN:
                break
        return shown

    def _shown_tight(self, template: CNF, least: int, most: int) -> Direction:
        n = template.num_main
        for low, high in ((most + 1, n), (0, least - 1)):
            if low > high:
                continue
            try:
                make = partial(_violated, template, low, high)
                claim = self.steps.state(make, "counting what a template allows")
                checked = self.steps.prove(claim)
                if checked.state is ProofState.CHECKED:
                    continue
                if checked.state is ProofState.NOT_CHECKED:
                    return Direction(message=checked.message)
                values = self.steps.find_model(claim)
            except proof.NotCheckedError as error:
                return Direction(message=str(error))
            if values is None:
                return Direction(message=checked.message or "neither proved nor refuted")
            return Direction(State.REFUTED, f"allows that of {n} variables {_true(values[:n])}")
        return Direction(State.PROVED)

    def _examined(
        self, template: CNF, least: int, most: int, claim: CNF, lemmas: bytes
    ) -> Direction:
        """What follows from a claim, which has no model only if the template is not too strict.
        Raises `NotCheckedError`.
        """
        steps = self.steps
        flaw = partial(proof.flaw, claim, caller=steps.caller, limits=steps.limits)
        if lemmas and flaw(io.BytesIO(lemmas)) is None:
            return Direction(State.PROVED)
        checked = steps.prove(claim)
        if checked.state is ProofState.CHECKED:
            return Direction(State.PROVED)
        if checked.state is ProofState.NOT_CHECKED:
            return Direction(message=checked.message)
        n = template.num_main
        unfit = Direction(message="the definitions of the auxiliary variables do not fit")
        if (model := steps.find_model(claim)) is None:
            return unfit
        values = model[:n]
        literals = np.where(values, 1, -1) * np.arange(1, n + 1)
        if not least <= values.sum() <= most or not steps.has_no_model(template, literals):
            return unfit
        return Direction(State.REFUTED, f"forbids that of {n} variables {_true(values)}")


def _violated(template: CNF, least: int, most: int) -> CNF:
    """The template, and that so many of its main variables are true."""
    n = template.num_main
    # Where the template counts groups of variables, the same ones are counted here.
    shape = shape_of(n, counting_lemmas.cones(n, in_order(template)))
    counter = counted(n, least, most, template.num_variables, shape)
    return CNF(counter.num_variables, n, (*template.blocks, *counter.blocks))


def _true(values: Assignment) -> str:
    """Which variables are true, in words."""
    numbers = ", ".join(map(str, (np.flatnonzero(values) + 1).tolist()))
    return f"these are true: {numbers or 'none'}"


def _of_main_variables(template: CNF, least: int, most: int) -> Direction | None:
    """Whether each clause is true in all that is allowed; None if there are auxiliary variables, or
    if a clause has a variable twice.

    A clause with p variables and q negations is false if those are false and these are true, and
    then q to n - p variables may be true.
    """
    n = template.num_main
    if template.num_variables > n:
        return None
    for block in template.blocks:
        variables = np.sort(np.abs(block), axis=1)
        if (variables[:, 1:] == variables[:, :-1]).any():
            return None
        false, true = (block < 0).sum(axis=1), (block > 0).sum(axis=1)
        is_strict = np.maximum(false, least) <= np.minimum(n - true, most)
        if is_strict.any():
            clause = " ".join(map(str, block[is_strict.argmax()].tolist()))
            return Direction(State.REFUTED, f"the clause {clause} forbids what is allowed")
    return Direction(State.PROVED)


IsContradiction = Callable[[list[list[int]]], bool]

_NOTHING: Final = b"", b""
"""Without a claim."""


def _by_lemmas(template: CNF, least: int, most: int, _: IsContradiction) -> bytes:
    """The claim and a proof of it, packed."""
    n = template.num_main
    definitions = in_order(template)
    implied = counting_lemmas.thresholds(n, definitions)
    if least > 0 or most == n or implied is None:
        return _packed(*_NOTHING)
    shape = shape_of(n, (each.among for each in implied.values()))
    prefixes = Prefixes(leaves(shape), most, template.num_variables)
    extension = implications.extension(prefixes.premise(), definitions, Subject(template, n))
    lemmas = Lemmas(prefixes, implied, definitions, extension)
    if not lemmas.are_possible:
        return _packed(*_NOTHING)
    return _packed(b"".join(extension.formula.pack()), lemmas.proof().read())


def _in_order(template: CNF, least: int, most: int, _: IsContradiction) -> bytes:
    return _claim(template, least, most, in_order(template), None)


def _mirrored(template: CNF, least: int, most: int, _: IsContradiction) -> bytes:
    return _claim(template, least, most, mirrored(template), None)


def _by_elimination(
    template: CNF, least: int, most: int, is_contradiction: IsContradiction
) -> bytes:
    subject = Subject(template, template.num_main)
    try:
        found, parts = elimination.define(template.clauses(), subject.undefined, is_contradiction)
    except elimination.TooLarge:
        return _packed(*_NOTHING)
    return _claim(template, least, most, found, parts)


def _claim(
    template: CNF,
    least: int,
    most: int,
    definitions: Sequence[Definition],
    parts: Sequence[frozenset[int]] | None,
) -> bytes:
    n = template.num_main
    # Where the template counts groups of variables, the premise counts the same ones.
    shape = shape_of(n, counting_lemmas.cones(n, definitions))
    premise = counted(n, least, most, template.num_variables, shape)
    claim = implications.extends(premise, definitions, Subject(template, n), parts)
    return _packed(b"".join(claim.pack()), b"")


def _packed(claim: bytes, lemmas: bytes) -> bytes:
    return msgspec.msgpack.encode((claim, lemmas))


def in_order(template: CNF) -> list[Definition]:
    """Definitions of all auxiliary variables, one after the other. A variable is true if a clause
    of known variables needs it, and false otherwise. Those come first of which all clauses with the
    positive literal have known variables; then one of those for which other unknown literals can be
    true instead, the one of most clauses, as are carries; then those of which all clauses with the
    negative literal have known variables. Nothing says that these definitions fit.
    """
    clauses = list(map(frozenset, template.clauses()))
    containing: defaultdict[int, list[int]] = defaultdict(list)
    unknown = []  # the unknown literals of each clause
    for at, clause in enumerate(clauses):
        for literal in clause:
            containing[literal].append(at)
        unknown.append({literal for literal in clause if abs(literal) > template.num_main})
    waiting = {  # clauses with the literal that have other unknown variables
        literal: sum(len(unknown[at]) > 1 for at in containing[literal])
        for v in range(template.num_main + 1, template.num_variables + 1)
        for literal in (v, -v)
    }
    ready: list[tuple[bool, int]] = [
        (literal < 0, abs(literal)) for literal, count in waiting.items() if not count
    ]
    heapq.heapify(ready)
    left = dict.fromkeys(range(template.num_main + 1, template.num_variables + 1))

    def either_or() -> int | None:
        """A variable whose clauses wait only for literals that could be true in its place."""
        some = [
            v
            for v in left
            if waiting[v] < len(containing[v])
            and all(literal > 0 for at in containing[v] for literal in unknown[at])
        ]
        return max(some, key=waiting.__getitem__, default=None)

    found = []
    while left:
        while ready and ready[0][1] not in left:
            heapq.heappop(ready)
        if ready and not ready[0][0]:
            is_negative, v = heapq.heappop(ready)
        elif chosen := either_or():
            is_negative, v = False, chosen
        else:
            is_negative, v = heapq.heappop(ready) if ready else (False, next(iter(left)))
        del left[v]
        literal = -v if is_negative else v
        needing = [clauses[at] - {literal} for at in containing[literal] if len(unknown[at]) == 1]
        found.append(Definition(literal, tuple(map(tuple, map(sorted, needing)))))
        for at in (*containing[v], *containing[-v]):
            unknown[at] -= {v, -v}
            if len(unknown[at]) == 1:
                (other,) = unknown[at]
                waiting[other] -= 1
                if not waiting[other]:
                    heapq.heappush(ready, (other < 0, abs(other)))
    return found


def mirrored(template: CNF) -> list[Definition]:
    """The same for the negations of all auxiliary variables. Where clauses ask for sums that are
    large enough, bits of sums are true unless a clause needs them to be false.
    """
    n, last = template.num_main, template.num_variables

    # Backwards, since carries come after their digits, and are as large as they can be first.
    def mirror(literal: int) -> int:
        if abs(literal) <= n:
            return literal
        other = n + last + 1 - abs(literal)
        return -other if literal > 0 else other

    blocks = tuple(
        np.where(np.abs(block) <= n, block, block - np.sign(block) * (n + last + 1))
        for block in template.blocks
    )
    return [
        Definition(mirror(each.literal), tuple(tuple(map(mirror, c)) for c in each.clauses))
        for each in in_order(CNF(last, n, blocks))
    ]
