"""Random formulas, and their proofs with hints."""

import itertools
import tempfile

from nqbench.checking import proof
from nqbench.clauses.cnf import CNFBuilder


def random_formula(source):
    variables = source.randint(5, 30)
    builder = CNFBuilder(variables)
    names = range(1, variables + 1)
    for width, clauses in ((3, int(variables * source.uniform(4.3, 6))), (2, source.randint(1, 8))):
        rows = [source.sample(names, width) for _ in range(clauses)]
        builder.add([[source.choice((-1, 1)) * variable for variable in row] for row in rows])
    return builder.build()


def hinted(cnf, content):
    """A DRAT proof with hints."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        source.write(content)
        source.seek(0)
        assert proof.write_lrat(cnf, source, target).flaw is None
        target.seek(0)
        return target.read()


def numbers_of(literals):
    """Literals and zeros as binary proofs have them, seven bits in a byte."""
    out = bytearray()
    for literal in literals:
        number = 2 * abs(literal) + (literal < 0)
        while number > 127:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)
    return out


class Steps:
    """Random LRAT steps on a small formula, most of them right, and what they are by definition.

    Clauses may have a literal twice, or with its negation; so may the clauses that a step is
    resolved with, with the literal that they are resolved on as well. Nothing here is shared with
    the checkers: units are propagated over all clauses, and hints are those that did something.
    """

    variables = 6

    def __init__(self, source):
        self.source = source
        # No assignment of variables 1 to 3 satisfies all of these. Few clauses have the others, of
        # which clauses are added that do not follow from anything.
        core = [[1 * a, 2 * b, 3 * c] for a, b, c in itertools.product((-1, 1), repeat=3)]
        core = core[source.random() < 1 / 4 :]
        more = [self.clause(source.randint(1, 5)) for _ in range(source.randint(1, 6))]
        self.formula = source.sample([*core, *more], len(core) + len(more))
        self.clauses = dict(enumerate(self.formula, start=1))
        self.last = len(self.formula)
        self.are_right = True
        self.content = bytearray()
        self.kinds = set()

    def clause(self, size):
        """A clause about variables of which the first is none of those that matter."""
        names = [self.source.randint(4, self.variables)]
        names += [self.source.randint(1, self.variables) for _ in range(size - 1)]
        literals = [self.source.choice((-1, 1)) * name for name in names]
        if self.source.random() < 1 / 4:
            literals.append(self.source.choice((-1, 1)) * self.source.choice(literals))
        return literals

    def write(self, kind, numbers):
        self.content += kind + numbers_of(numbers)

    def delete(self):
        name = self.source.choice(list(self.clauses))
        del self.clauses[name]
        self.write(b"d", [name, 0])

    def propagated(self, true):
        """The hints until a clause is false, and whether one is."""
        hints = []
        while True:
            for name, clause in self.clauses.items():
                left = {literal for literal in clause if -literal not in true}
                if len(left) < 2 and not left & true:
                    hints.append(name)
                    if not left:
                        return hints, True
                    true |= left
                    break
            else:
                return hints, False

    def add(self, clause):
        """Add a clause if it is right, with its hints. The empty clause is added if it is not, too,
        and others one time in twenty.
        """
        if any(-literal in clause for literal in clause):
            return
        true = {-literal for literal in clause}
        hints, is_right = self.propagated(true)
        if not is_right and clause:
            hints, is_right = self.resolved(clause[0], hints, true)
        if not is_right and clause and self.source.random() > 1 / 20:
            return
        self.are_right &= is_right
        self.last += 1
        self.write(b"a", [self.last, *clause, 0, *hints, 0])
        self.clauses[self.last] = clause

    def resolved(self, first, hints, true):
        for name, clause in self.clauses.items():
            if -first not in clause:
                continue
            hints = [*hints, -name]
            others = {literal for literal in clause if literal != -first}
            if others & {-literal for literal in others}:
                self.kinds.add("tautology")
            elif first in others:
                self.kinds.add("both")
            elif others & true:
                self.kinds.add("true")
            else:
                more, is_right = self.propagated(true | {-literal for literal in others})
                if not is_right:
                    return hints, False
                hints += more
                self.kinds.add("hints")
        return hints, True
