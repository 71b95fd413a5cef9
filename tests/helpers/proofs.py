"""Random formulas, and their proofs with hints."""

import tempfile

from nqbench.checking import proof
from nqbench.instances.cnf import CNFBuilder


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
        assert proof.elaborated(cnf, source, target).flaw is None
        target.seek(0)
        return target.read()
