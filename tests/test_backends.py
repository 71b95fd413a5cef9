"""Every installed backend goes through these, on every installed encoding."""

import msgspec
import numpy as np
import pytest

from nqbench.plugins import backend_names, encoding_names, load_backend, load_encoding
from nqbench.problem import Problem
from nqbench.testing import check_backend
from nqbench.verify import check
from nqbench.vocabulary import Answer, Verdict
from nqbench.worker import WorkerReport, answer


@pytest.mark.parametrize("backend", backend_names())
@pytest.mark.parametrize("encoding", encoding_names())
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12])
def test_every_answer_is_right(backend, encoding, n):
    problem, chosen = Problem(n), load_encoding(encoding)
    cnf = chosen.encode(problem)
    report = msgspec.msgpack.decode(
        answer(problem, chosen, load_backend(backend), cnf), type=WorkerReport
    )
    values = np.unpackbits(np.frombuffer(report.values, np.uint8), count=report.num_values)
    checked = check(problem, cnf, report.answer, values.astype(bool), tuple(report.placement))
    assert report.answer is (Answer.UNSAT if n in (2, 3) else Answer.SAT)
    assert checked.verdict is Verdict.VERIFIED, checked.message
    assert report.rejected == 0 or encoding == "level2"


@pytest.mark.parametrize("name", backend_names())
def test_every_backend_passes_the_conformance_checks(name):
    check_backend(load_backend(name))


@pytest.mark.parametrize("name", ["glucose4", "minisat22", "cadical195"])
def test_counters_are_the_same_every_time(name):
    """They count the solver's work, which does not depend on the machine."""
    cnf = load_encoding("pairwise").encode(Problem(16))

    def counters():
        solver = load_backend(name).load(cnf)
        solver.solve()
        return solver.counters()

    first = counters()
    assert first == counters()
    assert first.conflicts is not None
    assert first.decisions > 0
