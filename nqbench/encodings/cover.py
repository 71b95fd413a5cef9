"""`cover`: options and items, for backends that accept them directly; no clauses.

D. Knuth, The Art of Computer Programming, volume 4B, section 7.2.2.1.
"""

from nqbench.clauses.constraints import Constraints
from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem


class CoverEncoding(Encoding):
    """The constraints of the problem as they are."""

    reference = "D. Knuth, TAOCP 4B, 7.2.2.1"
    makes = Form.COVER
    states_bounds = True
    states_weights = True

    def encode(self, problem: Problem) -> Constraints:
        return problem.constraints()
