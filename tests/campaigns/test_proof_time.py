"""All that is tried to prove an answer about the rows of a file takes the time of one proof."""

import time
from dataclasses import replace

import nqbench
from nqbench.campaign.optimum import State
from nqbench.checking import row_clauses
from nqbench.checking.evidence import Certifier
from nqbench.checking.proving import FileOriginal, Prover
from nqbench.common.limits import Limits, ProofLimits
from nqbench.isolate import Isolation
from nqbench.measure.readings import read_twice

KNAPSACK = """* #variable= 6 #constraint= 1
max: +7 x1 +5 x2 +4 x3 +9 x4 +3 x5 +6 x6 ;
-4 x1 -3 x2 -2 x3 -6 x4 -1 x5 -4 x6 >= -10 ;
"""
LIMITS = Limits(time_s=0.2)


def knapsack(folder):
    (folder / "knap.opb").write_text(KNAPSACK)
    return nqbench.formulas(folder / "knap.opb")


def test_all_attempts_share_the_time_of_one():
    prover, limits = Prover(Isolation(), ProofLimits()), Limits(time_s=100.0)
    with prover.in_total(limits) as total:
        assert total.time_s == 400
        time.sleep(0.1)
        assert prover.proof_limits(limits).time_s <= 399.9
        with prover.in_total(limits) as inner:  # a part of the same
            assert inner is total
        assert prover.proof_limits(limits).time_s <= 399.9
        assert not prover.is_over
    assert prover.proof_limits(limits).time_s == 400
    with prover.in_total(replace(limits, time_s=1e-9)):
        assert prover.is_over
        assert prover.proof_limits(limits).time_s == 0.01


def test_a_part_may_take_a_share():
    assert Prover(Isolation(), ProofLimits()).proof_limits(LIMITS, 0.5).time_s == 0.4
    assert Prover(Isolation(), ProofLimits(6)).proof_limits(LIMITS, 0.5).time_s == 3


def test_rows_that_are_never_stated_as_clauses_end_at_the_limit(tmp_path, monkeypatch):
    """They were stated where nobody could stop them, and the server of the run was killed."""
    monkeypatch.setattr(row_clauses, "as_clauses", lambda rows: time.sleep(1000))
    (problem,) = knapsack(tmp_path)
    rows = FileOriginal(read_twice(problem), lambda cnf: "")
    heard = []
    caller = Isolation(tell=lambda doing, limit_s: heard.append((doing, limit_s)))
    knowledge = Certifier(lambda: None, caller).decide_rows(rows, LIMITS)
    assert knowledge.satisfiable is None
    assert knowledge.message == "rows not checked: stopped at the time limit of 0.8 s"
    assert heard == [("stating rows as clauses", 0.8)]


def test_optimum_says_how_long_it_tried_to_prove_what_is_claimed(tmp_path):
    (found,) = nqbench.optimum(knapsack(tmp_path), proof_time="10ms")
    assert (found.best, found.state) == (19, State.CLAIMED)
    assert found.claim.message.endswith("whether one is better was not checked: no proof in 0.01 s")
    (found,) = nqbench.optimum(knapsack(tmp_path), proof_time="1h")
    assert (found.best, found.state) == (19, State.OPTIMAL)
