import numpy as np
import pytest

from nqbench.clauses.csp import CSP
from nqbench.encodings.base import Encoding
from nqbench.problems.queens import Queens


def csp(*constraints, variables=3, values=3):
    rows = np.array(constraints, dtype=np.int32).reshape(-1, 3)
    return CSP(np.ones((variables, values), dtype=np.bool_), rows)


def test_eight_queens_are_eight_variables_and_56_constraints():
    eight = Encoding.named("csp").encode(Queens(8))
    assert (eight.num_variables, eight.num_constraints) == (8, 56)
    assert (eight.constraints[:, 2] == 0).sum() == 28


def test_packed_bytes_come_back_as_the_same_csp():
    problem = Queens(5, "blocked", placed=((0, 1),), blocked=((4, 4),))
    there = Encoding.named("csp").encode(problem)
    back = CSP.unpack(memoryview(b"".join(there.pack())))
    assert (back.domains == there.domains).all()
    assert (back.constraints == there.constraints).all()
    assert back.digest() == there.digest()
    assert back.digest() != Encoding.named("csp").encode(Queens(5)).digest()


def test_bytes_of_something_else_are_refused():
    with pytest.raises(ValueError, match="not a packed CSP"):
        CSP.unpack(memoryview(bytes(64)))


@pytest.mark.parametrize("wrong", [(0, 3, 1), (-1, 0, 1), (1, 1, 0), (0, 1, -1)])
def test_a_constraint_that_is_none_is_refused(wrong):
    csp((0, 1, 0)).check()
    with pytest.raises(ValueError, match="constraint on"):
        csp((0, 1, 0), wrong).check()
