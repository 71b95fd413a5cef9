"""Plugins that lie, each in the way that its seed draws: about what was proved, how large it is,
what its variables mean, who made it, or whether it equals something else.
"""

import os
import random
import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

import nqbench
from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.backends.pysat.backend import PySAT
from nqbench.checking import reference
from nqbench.clauses.cnf import CNF
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer, Form
from nqbench.encodings.base import Encoding
from nqbench.plugins.parameters import Whole
from nqbench.problems.families.peaceable_queens import KNOWN, PeaceableArmies, PeaceableQueens
from nqbench.problems.families.queen_domination import Domination, QueenDomination
from nqbench.problems.queens import Queens

CONTRADICTION = np.array([[1], [-1]], np.int32)


def rules_of(problem):
    return reference.clauses(problem.rules())


class Liar(CNF):
    """A formula with a digest, a size or bytes of another one."""

    __slots__ = ()
    lies: ClassVar = {}

    def digest(self):
        return self.lies.get("digest", super().digest())

    def pack(self):
        packed = self.lies.get("packed")
        return iter([memoryview(packed)]) if packed else super().pack()

    def check(self):
        if "digest" not in self.lies:
            super().check()

    def broken_by(self, model):
        return None

    @property
    def num_clauses(self):
        return self.lies.get("clauses", 0)


def liar(cnf, **lies):
    found = Liar(cnf.num_variables, cnf.num_main, cnf.blocks)
    Liar.lies = lies
    return found


def packed(cnf):
    return b"".join(cnf.pack())


def too_strict(cnf, draw):
    clause = [draw.choice((1, -1)) * draw.randint(1, cnf.num_main)]
    return cnf.with_clauses(np.array([clause], np.int32))


def too_lax(cnf, draw):
    blocks = list(cnf.blocks)
    del blocks[draw.randrange(len(blocks))]
    return CNF(cnf.num_variables, cnf.num_main, tuple(blocks))


def impossible(cnf, _draw):
    return cnf.with_clauses(CONTRADICTION)


def renumbered(cnf, draw):
    order = list(range(1, cnf.num_variables + 1))
    draw.shuffle(order)
    mapped = np.array([0, *order], np.int32)
    blocks = tuple(np.sign(block) * mapped[np.abs(block)] for block in cnf.blocks)
    return CNF(cnf.num_variables, cnf.num_main, tuple(b.astype(np.int32) for b in blocks))


def unchanged(cnf, _draw):
    return cnf


FORMULAS = [too_strict, too_lax, impossible, renumbered, unchanged, impossible]


def says_rules_digest(cnf, problem, _draw):
    return liar(cnf, digest=rules_of(problem).digest())


def says_pairwise_digest(cnf, problem, _draw):
    return liar(cnf, digest=Encoding.named("sequential").encode(problem).digest())


def says_another_size(cnf, _problem, draw):
    return liar(cnf, clauses=draw.choice((0, 1, 2**40)))


def has_fewer_variables(cnf, _problem, _draw):
    return liar(CNF(cnf.num_main, cnf.num_main, cnf.blocks), digest="0" * 32)


def packs_another(cnf, problem, _draw):
    return liar(cnf, packed=packed(rules_of(problem)))


def packs_part(cnf, _problem, draw):
    whole = packed(cnf)
    return liar(cnf, packed=whole[: draw.randrange(1, len(whole))])


def packs_more(cnf, _problem, draw):
    return liar(cnf, packed=packed(cnf) + draw.randbytes(8))


def packs_noise(cnf, _problem, draw):
    whole = bytearray(packed(cnf))
    for _ in range(3):
        whole[draw.randrange(len(whole))] = draw.randrange(256)
    return liar(cnf, packed=bytes(whole))


def is_honest(cnf, _problem, _draw):
    return cnf


INSTANCES = [
    says_rules_digest, says_rules_digest, says_pairwise_digest, says_another_size,
    has_fewer_variables, packs_another, packs_part, packs_more, packs_noise, is_honest, is_honest,
]  # fmt: skip


def none(_problem, _draw):
    return np.zeros((0, 1), np.int32)


LAZY = [
    none,
    none,
    none,
    lambda problem, draw: CONTRADICTION,
    lambda problem, draw: [[1], [-1]],
    lambda problem, draw: [[1, 2], [3]],
    lambda problem, draw: "none",
    lambda problem, draw: np.array([[draw.choice((10**6, 0))]], np.int32),
    lambda problem, draw: np.array([[1.5]]),
    lambda problem, draw: 1 / 0,
    lambda problem, draw: CONTRADICTION if draw.random() < 0.5 else none(problem, draw),
]


class Draws:
    """Draws the lies of a component from its seed; those of each call, if it is asked again."""

    parameters: ClassVar = {"seed": Whole(default=0, least=0)}

    @property
    def draw(self):
        return random.Random(self.values["seed"])


class LieEncoding(Draws, Encoding):
    reference = "nobody"
    distribution = "lies"
    states_bounds = True
    tightens = True

    def _base(self, problem):
        return Encoding.named("sequential" if problem.has_bounds else "pairwise")

    def encode(self, problem):
        draw = self.draw
        cnf = draw.choice(FORMULAS)(self._base(problem).encode(problem), draw)
        return draw.choice(INSTANCES)(cnf, problem, draw)

    def lazy_clauses(self, problem):
        draw = random.Random(self.values["seed"] + 1)
        return draw.choice(LAZY)(problem, random if draw.random() < 0.2 else draw)

    def shows_options(self, problem):
        return random.Random(self.values["seed"] + 2).random() < 0.6

    def option_literals(self, problem):
        draw, count = random.Random(self.values["seed"] + 3), len(problem.options)
        right = np.arange(1, count + 1, dtype=np.int32)[:, np.newaxis]
        return draw.choice(
            [right, -right, right[::-1].copy(), right[:-1], right * 1000, right * 1.0, None, "no"]
        )

    def decode(self, problem, values):
        draw = random.Random(self.values["seed"] + 4)
        how = draw.randrange(6)
        if how == 0 and isinstance(problem, Queens):
            found = nqbench.solve(problem.n, backend="construction")
            return tuple(found.queens) if found else ()
        if how == 1:
            return tuple(draw.sample(list(problem.options), min(3, len(problem.options))))
        if how == 2:
            return (("a",),)
        return super().decode(problem, values)

    def breaks_symmetry(self, problem):
        return random.Random(self.values["seed"] + 5).random() < 0.1

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class BoundLiar(LieEncoding):
    """Forbids what is beyond a number that its seed draws."""

    def encode(self, problem):
        draw = self.draw
        honest = self._base(problem).encode(problem)
        if problem.k == draw.randint(0, 20):
            return honest
        return draw.choice(INSTANCES)(impossible(honest, draw), problem, draw)

    def lazy_clauses(self, problem):
        return none(problem, self.draw)

    def decode(self, problem, values):
        return Encoding.decode(self, problem, values)

    def shows_options(self, problem):
        return True


class NamesItself(LieEncoding):
    """Says that it is another encoding."""

    def __init__(self, name):
        super().__init__(name)
        self.name = "pairwise"


class NamesItselfLater(LieEncoding):
    @property
    def name(self):
        return "pairwise"

    @name.setter
    def name(self, value):
        pass


class LieSolver(Solver):
    def __init__(self, seed, cnf):
        self.draw, self.cnf = random.Random(seed), cnf
        self.honest = PySAT("minisat22").load(cnf)
        self.said = self.honest.solve()

    def solve(self):
        how = self.draw.randrange(6)
        if how == 0:
            return "unsat"
        if how < 4:
            return Answer.UNSAT if self.said is Answer.SAT else Answer.SAT
        return self.said

    def model(self):
        size = self.cnf.num_variables
        draw = self.draw
        values = np.array([draw.random() < 0.3 for _ in range(size)], np.bool_)
        right = self.honest.model() if self.said is Answer.SAT else values
        return draw.choice([values, right, right[:-1], right.astype(int), ~right, right])

    def add(self, clause):
        pass

    def limit(self, work):
        pass

    def show_output(self):
        pass

    def counters(self):
        return self.draw.choice([Counters(), Counters(conflicts=-1), Counters(conflicts=2**70), 5])


class LieBackend(Draws, Backend):
    reference = "nobody"
    distribution = "lies"
    capabilities = Capabilities(proof=True, lrat=True, incremental=True)

    def load(self, cnf):
        return LieSolver(self.values["seed"], cnf)

    def probe(self):
        pass

    def prove(self, cnf, proof):
        draw = random.Random(self.values["seed"] + 6)
        self.name = "cadical195"
        how = draw.randrange(6)
        if how == 0:
            proof.write(b"0\n")
        elif how == 1:
            proof.write(draw.randbytes(draw.randrange(200)))
        elif how == 2:
            Backend.named("cadical195").prove(impossible(cnf, draw), proof)
        elif how == 3:
            Backend.named("cadical195").prove(cnf, proof)
        elif how == 4:
            raise ValueError("no")

    def prove_with_hints(self, cnf, proof):
        draw = random.Random(self.values["seed"] + 7)
        how = draw.randrange(4)
        if how == 0:
            proof.write(draw.randbytes(draw.randrange(200)))
        elif how == 1:
            Backend.named("cadical195").prove_with_hints(impossible(cnf, draw), proof)
        elif how == 2:
            Backend.named("cadical195").prove_with_hints(cnf, proof)

    def with_seed(self, seed):
        return self


@dataclass(frozen=True, eq=False)
class LieBoard(PeaceableQueens):
    """A board that equals every other problem, and says that it is another one."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(Queens(3))

    @property
    def identity(self):
        return {"n": 3}

    @property
    def digest(self):
        return "0" * 16

    def __str__(self):
        return "queens n=3"


class LieBoards(PeaceableArmies):
    distribution = "lies"
    problem = LieBoard

    def of_size(self, n):
        return LieBoard(n, self.k(n, KNOWN, n), self.name, self.symmetry)


class LieOfK(PeaceableArmies):
    """Makes problems of another k than it is asked for, depending on the k."""

    distribution = "lies"

    def of_size(self, n):
        made = super().of_size(n)
        return replace(made, k=made.k + 1) if made.k % 3 == 2 else made


class LieOfName(PeaceableArmies):
    """Makes problems of another family."""

    distribution = "lies"

    def of_size(self, n):
        return replace(super().of_size(n), family="peaceable-queens:k=1")


class RulesDigest(Encoding):
    """Contradicts itself, with the digest of the rules, as another encoding, or of another k."""

    reference = "nobody"
    distribution = "lies"
    states_bounds = True

    def digest(self, problem):
        return rules_of(problem).digest()

    def encode(self, problem):
        honest = Encoding.named("sequential" if problem.has_bounds else "pairwise").encode(problem)
        return liar(impossible(honest, None), digest=self.digest(problem))


class PairwiseDigest(RulesDigest):
    def digest(self, problem):
        return Encoding.named("pairwise").encode(problem).digest()


class UnsatDigest(RulesDigest):
    """The digest of the rules of a board without a solution."""

    def digest(self, problem):
        return rules_of(Queens(3)).digest()


class LazyContradiction(Encoding):
    """The rules themselves, and clauses added later that contradict each other."""

    reference = "nobody"
    distribution = "lies"
    states_bounds = True

    def encode(self, problem):
        return rules_of(problem)

    def lazy_clauses(self, problem):
        return CONTRADICTION


class LazyList(LazyContradiction):
    def lazy_clauses(self, problem):
        return [[1], [-1]]


class LazyNative(LazyContradiction):
    """The same with at-most-k constraints."""

    makes = Form.CNF_PLUS

    def encode(self, problem):
        return Encoding.named("native").encode(problem)


class LazyOnce(LazyContradiction):
    """Says something else each time that it is asked in one process."""

    asked = 0

    def lazy_clauses(self, problem):
        type(self).asked += 1
        return CONTRADICTION if self.asked % 2 else none(problem, None)


class ForbidsTooMuch(Encoding):
    """Of a board with k, only what the board needs in any case."""

    reference = "nobody"
    distribution = "lies"
    states_bounds = True
    tightens = True

    def encode(self, problem):
        honest = Encoding.named("totalizer").encode(problem)
        return honest if problem.k >= problem.n else impossible(honest, None)


class Misbehaves(Encoding):
    """Works until the variable LIES names what is to fail, and how."""

    reference = "nobody"
    distribution = "lies"

    def _fail(self, name):
        what, _, how = os.environ.get("LIES", "").partition(" ")
        if what == name:
            if how == "hang":
                time.sleep(10**6)
            if how == "exit":
                os._exit(3)
            raise ZeroDivisionError("on purpose")

    def encode(self, problem):
        self._fail("encode")
        return Encoding.named("pairwise").encode(problem)

    def lazy_clauses(self, problem):
        self._fail("lazy_clauses")
        return none(problem, None)

    def shows_options(self, problem):
        self._fail("shows_options")
        return True

    def breaks_symmetry(self, problem):
        self._fail("breaks_symmetry")
        return False


@dataclass(frozen=True)
class MisbehavedBoard(PeaceableQueens):
    def rules(self):
        Misbehaves._fail(self, "rules")
        return super().rules()

    @property
    def satisfiable(self):
        Misbehaves._fail(self, "satisfiable")

    def violation(self, solution):
        Misbehaves._fail(self, "violation")
        return super().violation(solution)

    def __str__(self):
        Misbehaves._fail(self, "title")
        return super().__str__()


class MisbehavedBoards(PeaceableArmies):
    distribution = "lies"
    problem = MisbehavedBoard

    def of_size(self, n):
        return MisbehavedBoard(n, self.k(n, KNOWN, n), self.name, self.symmetry)


@dataclass(frozen=True)
class NoRules(QueenDomination):
    """Of which nothing can be known but the formula."""

    def rules(self):
        return None


class NoRulesBoards(Domination):
    distribution = "lies"
    problem = NoRules

    def of_size(self, n):
        return NoRules(n, self.k(n, (), n), False, self.name, self.symmetry)


class FailsInPlan(Misbehaves):
    """Fails where campaigns are planned."""

    def why_not(self, problem):
        self._fail("why_not")
        return super().why_not(problem)

    @property
    def version(self):
        self._fail("version")
        return "1"
