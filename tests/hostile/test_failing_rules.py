"""A family whose rules raise an exception: the answer stays unchecked, and the message says where.
The family comes with nqbench, so that its rules are called in the process that judges.
"""

import numpy as np
import pytest

from nqbench.backends.base import Backend
from nqbench.checking.judge import Judge
from nqbench.checking.verify import BY_FIRST_VALUES
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Verdict
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.measure.cache import InstanceCache
from nqbench.measure.run_judge import certifier
from nqbench.problems.families.base import Family
from nqbench.problems.families.queen_domination import QueenDomination

LIMITS = Limits(time_s=60.0)


@pytest.fixture
def judge(monkeypatch):
    def fail(*_):
        raise KeyError("on purpose")

    monkeypatch.setattr(QueenDomination, "rules", fail)
    return Judge(certifier(), Isolation())


def test_a_solution_stays_unchecked(judge):
    problem = Family.named("queen-domination:k=1").of_size(3)
    cnf = Encoding.named("pairwise").clauses(problem)
    solution = ((1, 1),)
    model = np.arange(cnf.num_variables) == 4
    check = judge.check_sat(problem, cnf, model, solution, BY_FIRST_VALUES, limits=LIMITS)
    assert check.verdict is Verdict.UNCHECKED
    assert check.message.startswith(
        "not checked: family 'queen-domination:k=1': KeyError: 'on purpose' (test_failing_rules.py,"
    )
    assert "\n" not in check.message


def test_so_does_unsat_but_for_a_proof_of_the_formula(judge):
    problem = Family.named("queen-domination:k=1").of_size(4)
    cnf = Encoding.named("sequential").clauses(problem)
    for name, verdict in (("minisat22", Verdict.UNCHECKED), ("cadical195", Verdict.VERIFIED)):
        check = judge.check_unsat(problem, cnf, Backend.named(name), owner=name, limits=LIMITS)
        assert check.verdict is verdict
        said = "the rules of queen-domination:k=1 n=4 are not stated: KeyError: 'on purpose' (test_"
        assert said in check.message


def test_encoding_says_that_the_family_fails(judge, monkeypatch):
    def fail(*_):
        raise KeyError("on purpose")

    monkeypatch.setattr(QueenDomination, "violation", fail)
    problem = Family.named("queen-domination:k=1").of_size(3)
    ending = InstanceCache(0, Isolation()).get(problem, Encoding.named("sequential"), LIMITS)
    assert ending.message.startswith(
        "family 'queen-domination:k=1' cannot check a solution: KeyError: 'on purpose' (test_"
    )
