"""`none`: the unencoded problem, for backends that implement the rules of the board."""

from nqbench.common.vocabulary import Form
from nqbench.encodings.base import Encoding
from nqbench.problems.base import Problem
from nqbench.problems.queens import Queens


class NoEncoding(Encoding):
    """The problem itself."""

    reference = "no encoding"
    makes = Form.PROBLEM
    only_for = Queens

    def encode(self, problem: Problem) -> Problem:
        return problem
