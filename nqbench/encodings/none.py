"""`none`: the problem as it is, for backends that know the rules of the board themselves."""

from nqbench.encodings.base import Encoding
from nqbench.instance import Form
from nqbench.problem import Problem


class NoEncoding(Encoding):
    reference = "no encoding"
    makes = Form.PROBLEM

    def encode(self, problem: Problem) -> Problem:
        return problem
