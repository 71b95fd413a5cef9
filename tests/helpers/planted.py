"""Encodings with a fault that the conformance checks do not find, since it needs larger boards."""

import numpy as np

import nqbench
from nqbench.clauses.cnf import CNF, CNFBuilder
from nqbench.encodings.base import Encoding
from nqbench.encodings.boards import SYMMETRY, BoardEncoding
from nqbench.encodings.order import Order
from nqbench.problems.queens import Queens, variable_of


class Planted(Encoding):
    """Another encoding, with a fault on boards of at least `least` rows."""

    reference = "planted"
    base = "pairwise"
    least = 7

    def encode(self, problem):
        cnf = Encoding.named(self.base).clauses(problem)
        return self.spoilt(problem, cnf) if problem.n >= self.least else cnf

    def spoilt(self, problem, cnf):
        return without(cnf, lambda clause: self.is_lost(problem.n, set(clause)))


def without(cnf, is_lost):
    builder = CNFBuilder(cnf.num_main)
    builder.fresh(cnf.num_variables - cnf.num_main)
    for clause in cnf.clauses():
        if not is_lost(clause):
            builder.add([clause])
    return builder.build()


class MissingPair(Planted):
    """Two queens may be at the ends of a long diagonal."""

    least = 9

    def is_lost(self, n, clause):
        return clause == {-1, -n * n}


class LostDiagonal(Planted):
    """The squares right of the long diagonal."""

    least = 9

    def is_lost(self, n, clause):
        diagonal = {-variable_of((row, row + 1), n) for row in range(n - 1)}
        return clause <= diagonal


class OneSolutionTooFew(Planted):
    least = 10

    def spoilt(self, problem, cnf):
        if problem.n > 10:
            return cnf
        solution = nqbench.solve(10).queens
        forbidden = np.array([[-variable_of(square, 10) for square in solution]], np.int32)
        return CNF(cnf.num_variables, cnf.num_main, (*cnf.blocks, forbidden))


class EachTwice(Planted):
    """A free variable among the first ones."""

    def spoilt(self, problem, cnf):
        return CNF(cnf.num_variables + 1, cnf.num_main + 1, cnf.blocks)


class SharedAuxiliary(Planted):
    """Two lines of one length share a counter."""

    base = "sequential"

    def spoilt(self, problem, cnf):
        last = cnf.num_variables
        shared = [
            np.where(b == last, last - 1, np.where(b == -last, 1 - last, b)) for b in cnf.blocks
        ]
        return CNF(last, cnf.num_main, tuple(block.astype(np.int32) for block in shared))


class WrongSign(Planted):
    """The last literal of one long line."""

    base = "sequential"
    least = 8

    def spoilt(self, problem, cnf):
        blocks = [block.copy() for block in cnf.blocks]
        corner = problem.n**2
        block = next(b for b in blocks if b.shape[1] == 2 and (b == -corner).any())
        row, column = np.argwhere(block == -corner)[0]
        block[row, column] = corner
        return CNF(cnf.num_variables, cnf.num_main, tuple(blocks))


class ForgetsTheLastBlocked(Planted):
    def spoilt(self, problem, cnf):
        last = -variable_of(max(problem.blocked), problem.n) if problem.blocked else 0
        return without(cnf, lambda clause: clause == [last])


class ForgetsToWrap(Planted):
    def spoilt(self, problem, cnf):
        return Encoding.named(self.base).clauses(Queens(problem.n))


class DecodesTheMirrorImage(Planted):
    def spoilt(self, problem, cnf):
        return cnf

    def decode(self, problem, values):
        solution = super().decode(problem, values)
        if problem.n < self.least:
            return solution
        return tuple((row, problem.n - 1 - column) for row, column in solution)


class LacksConflicts(Order):
    """No variables for squares; queens may attack each other along some short diagonals."""

    def encode(self, problem):
        cnf = super().encode(problem)
        if problem.n < 8:
            return cnf
        last = {tuple(clause) for clause in list(cnf.clauses())[-20:]}
        return without(cnf, lambda clause: tuple(clause) in last)


class HalfWithoutTheMiddle(BoardEncoding, Planted):
    """Also leaves out the middle of an odd row."""

    @property
    def parameters(self):
        return {"symmetry": SYMMETRY}

    def encode(self, problem):
        base = Encoding.named("pairwise:symmetry=half")
        cnf = base.clauses(problem)
        if problem.n < 7:
            return cnf
        middle = np.array([[-(problem.n + 1) // 2]], np.int32)
        return CNF(cnf.num_variables, cnf.num_main, (*cnf.blocks, middle))


class FewerQueens(Planted):
    """No queen is needed in the last row and the last column."""

    def is_lost(self, n, clause):
        return clause in (set(range(n * n - n + 1, n * n + 1)), set(range(n, n * n + 1, n)))
