"""Files of constraints encoded by a scheme, as an encoder would."""

import numpy as np

from nqbench.checking import row_clauses
from nqbench.checking.constraint_file import read_rows
from nqbench.checking.stamping import Stamping
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.stamp import stamp
from nqbench.encodings.base import Encoding


def rows_of(text):
    return read_rows(text.encode().splitlines())


def encoded(text, scheme="totalizer", template=None):
    """The instance of a file, and the copies of templates in it. `template` makes one, in place of
    the scheme: of the number of literals and the upper bound.
    """
    file = rows_of(text)
    make = template or Encoding.named(scheme).at_most
    cnf = CNFBuilder(num_main=file.num_variables)
    stampings = []
    for group in row_clauses.grouped(file):
        n = group.length
        upper = [(-group.literals, n - group.least)] if group.least > 0 else []
        upper += [(group.literals, group.most)] if group.most < n else []
        for literals, most in upper:
            if most == n - 1:
                cnf.add(-literals)
                continue
            scheme_for_n = make(n, most)
            fresh = stamp(cnf, scheme_for_n, literals)
            stampings.append(Stamping(scheme_for_n, 0, most, group.rows, literals, fresh))
    return cnf.build(), stampings


def with_clause(cnf, *literals):
    return cnf.with_clauses(np.array([literals], np.int32))
