"""Steps of a proof: what a solver finds is believed only if it is checked."""

import numpy as np
import pytest

from nqbench.checking.evidence import Certifier
from nqbench.checking.proof import NotCheckedError
from nqbench.checking.verify import ProofState
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer
from nqbench.isolate import Isolation
from nqbench.measure.implication.steps import Steps
from nqbench.measure.run_judge import certifier

pytestmark = pytest.mark.usefixtures("called_directly")

BOTH = CNF(2, 2, (np.array([[1, 2], [-1, 2]], np.int32), np.array([[1]], np.int32)))
NEITHER = BOTH.with_clauses(np.array([[-1, -2]], np.int32))


class Liar:
    """Says of every formula that all variables are false in a model."""

    name = "liar"

    def load(self, formula):
        self.size = formula.num_variables
        return self

    def solve(self):
        return Answer.SAT

    def model(self):
        return np.zeros(self.size, np.bool_)


@pytest.fixture(scope="module")
def steps():
    return Steps(certifier(), Isolation(), Limits(time_s=60))


def test_models_and_proofs_are_found(steps):
    assert steps.find_model(BOTH).tolist() == [True, True]
    assert steps.find_model(NEITHER) is None
    assert steps.prove(NEITHER).state is ProofState.CHECKED
    assert steps.prove(BOTH).state is not ProofState.CHECKED
    assert [steps.has_no_model(BOTH, [literal]) for literal in (1, -1, 2, -2)] == [0, 1, 0, 1]
    assert steps.has_no_model(NEITHER)
    assert not steps.has_no_model(BOTH)


def test_a_model_that_is_none_is_not_believed(steps):
    lying = Steps(Certifier(Liar), Isolation(), steps.limits)
    assert lying.find_model(BOTH) is None


def test_a_step_that_does_not_finish_says_so(steps):
    def fail():
        raise OSError("no space")

    def too_large():
        raise TooManyClausesError("a million clauses")

    with pytest.raises(NotCheckedError, match=r"looking: .*no space"):
        steps.call("looking", fail)
    with pytest.raises(NotCheckedError, match=r"^a million clauses$"):
        steps.state(too_large)
    with pytest.raises(NotCheckedError, match=r"^there is none$"):
        steps.state(lambda: "there is none")
    assert steps.state(lambda: BOTH).digest() == BOTH.digest()
