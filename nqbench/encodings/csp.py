"""`csp`: a variable for the queen of each row, whose value is its column; no clauses.

V. Kumar, "Algorithms for constraint-satisfaction problems: a survey", AI Magazine 13, 1992. n
variables of n values. n(n-1)/2 constraints keep two queens in different columns, and as many keep
their distance in columns different from that in rows: 8 variables and 56 constraints at n = 8. A
torus has n(n-1)/2 more.
"""

import numpy as np

from nqbench.encodings.base import Encoding, forbidden
from nqbench.encodings.pairwise import two_of
from nqbench.instances.csp import CSP
from nqbench.problems.base import Problem
from nqbench.vocabulary import Form


class CSPEncoding(Encoding):
    """A variable for the queen of each row, and the distances that two must not have."""

    reference = "V. Kumar, AI Magazine 13, 1992"
    makes = Form.CSP

    def encode(self, problem: Problem) -> CSP:
        n = problem.n
        domains = np.ones(n * n, dtype=np.bool_)
        domains[forbidden(problem)] = False
        upper, lower = two_of(n).T
        apart = lower - upper
        # On a torus two columns have a second distance, across the edge.
        distances = [np.zeros_like(apart), apart, *([n - apart] if problem.wraps else [])]
        pairs = np.tile(np.stack([upper, lower], axis=1), (len(distances), 1))
        constraints = np.column_stack([pairs, np.concatenate(distances)])
        return CSP(domains.reshape(n, n), constraints.astype(np.int32))
