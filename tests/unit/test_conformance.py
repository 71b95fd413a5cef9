"""The conformance checks find each of these components, which have one fault each."""

import os
import time

import numpy as np
import pytest

from nqbench import isolate
from nqbench.backends.base import Backend, Capabilities, Solver
from nqbench.common.metrics import Counters
from nqbench.common.vocabulary import Answer
from nqbench.encodings.base import Encoding
from nqbench.encodings.commander import Commander
from nqbench.encodings.counting import WeighingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.encodings.pairwise import pairs
from nqbench.testing import check_at_most_one, check_backend, check_encoding

pytestmark = pytest.mark.usefixtures("called_directly")
IN_A_PROCESS = isolate.call


class Forgets(LineEncoding):
    """Omits the clause for the first and the last literal of a long line."""

    def constrain(self, cnf, x):
        every = pairs(x)
        cnf.add(every if len(x) < 15 else np.delete(every, len(x) - 2, axis=0))


class Forbids(LineEncoding):
    def constrain(self, cnf, x):
        cnf.add(pairs(x))
        if len(x) > 20:
            cnf.add([[-int(x[7])]])


class Strays(LineEncoding):
    def constrain(self, cnf, x):
        cnf.add(pairs(x))
        cnf.add([[int(x[0]), -9999]])


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        (Forgets, "on 15 literals: allows 1 and 15 to be true"),
        (Forbids, "on 21 literals: forbids that 8 alone is true"),
    ],
)
def test_a_scheme_that_is_wrong_on_long_lines_is_found(encoding, message):
    with pytest.raises(AssertionError, match=message):
        check_encoding(encoding("scheme"))


def test_a_scheme_whose_variables_mean_something_else_for_each_bound_does_not_tighten(monkeypatch):
    monkeypatch.setattr(Commander, "tightens", True)
    with pytest.raises(AssertionError, match=r"tightened to \d: forbids"):
        check_encoding(Commander("commander"))


class TooLight(WeighingEncoding):
    """Any literal that is heavier than what may be missing, and no sets of several."""

    def num_clauses(self, form, most):
        return 1

    def weigh(self, cnf, x, form):
        if form.is_counted:
            Encoding.named("adder").weigh(cnf, x, form)
        else:
            cnf.add([x])


def test_a_scheme_for_weights_that_is_wrong_is_found():
    with pytest.raises(
        AssertionError, match=r"weights \(2, 1, 1\) .* at least 2: allows a sum of 1"
    ):
        check_encoding(TooLight("scheme"))


def test_a_literal_that_strays_is_found_before_it_becomes_another_one():
    with pytest.raises(ValueError, match="beyond the 3 variables"):
        check_encoding(Strays("strays"))
    with pytest.raises(ValueError, match="beyond the 5 variables"):
        check_at_most_one(Strays("strays"), 5)


class Honest(Backend, Solver):
    """MiniSat with every capability that can be checked; it enumerates by adding clauses."""

    capabilities = Capabilities(incremental=True, enumeration=True, proof=True, counters=True)

    def load(self, cnf):
        loaded = type(self)(self.base_name)
        loaded.solver = Backend.named("minisat22").load(cnf)
        return loaded

    def solve(self):
        return self.solver.solve()

    def model(self):
        return self.solver.model()

    def add(self, clause):
        self.solver.add(clause)

    def models(self):
        while self.solve() is Answer.SAT:
            model = self.model()
            yield model
            every = np.arange(1, len(model) + 1)
            self.add(np.where(model, -every, every).tolist())

    def prove(self, cnf, proof):
        Backend.named("cadical195").prove(cnf, proof)

    def counters(self):
        return Counters(conflicts=1)


class NoProof(Honest):
    def prove(self, cnf, proof):
        pass


class Silent(Honest):
    def counters(self):
        return Counters()


class FloatCounters(Honest):
    def counters(self):
        return Counters(conflicts=1.5)


class NoCounters(Honest):
    def counters(self):
        return "many"


class Twice(Honest):
    def models(self):
        for model in super().models():
            yield model
            yield model


class Few(Honest):
    def models(self):
        models = super().models()
        next(models)
        yield from models


class Wrong(Honest):
    def models(self):
        for model in super().models():
            yield np.roll(model, 1)


class Words(Honest):
    def solve(self):
        return "SATISFIABLE"


class Numbers(Honest):
    def model(self):
        return self.solver.model().astype(int)


class Deaf(Honest):
    """Accepts further clauses and ignores them."""

    def add(self, clause):
        pass

    def models(self):
        yield from Backend.named("pyeda").load(self.cnf).models()

    def load(self, cnf):
        loaded = super().load(cnf)
        loaded.cnf = cnf
        return loaded


class Hangs(Honest):
    def solve(self):
        time.sleep(60)


class Leaves(Honest):
    def solve(self):
        os._exit(0)


def test_a_backend_that_holds_what_it_claims_passes():
    check_backend(Honest("honest"))


@pytest.mark.parametrize(
    ("backend", "message"),
    [
        (NoProof, r"prove\(\) on queens n=2"),
        (Silent, r"counters\(\) reports nothing"),
        (FloatCounters, r"counters\(\) returned conflicts=1.5: expected an int"),
        (NoCounters, r"counters\(\) returned 'many': expected Counters"),
        (Twice, r"models\(\) on queens n=6: 8 solutions, of which 4 are different"),
        (Few, r"models\(\) on queens n=6: misses 1 of 4 solutions"),
        (Wrong, r"models\(\) on queens n=6: .* is not a solution"),
        (Words, "self-test failed: got 'SATISFIABLE'"),
        (Numbers, r"a model is a NumPy array of bool, .* not int64"),
        (Deaf, "on queens n=6: misses 3 of 4 solutions"),
    ],
)
def test_a_backend_that_does_not_is_found(backend, message):
    with pytest.raises(AssertionError, match=message):
        check_backend(backend("fault"))


@pytest.mark.parametrize(
    ("backend", "time_s", "message"),
    [(Leaves, 60.0, "without an answer"), (Hangs, 0.5, r"the time limit of 0.5 s")],
)
def test_a_backend_that_ends_its_process_or_hangs_is_found(monkeypatch, backend, time_s, message):
    monkeypatch.setattr(isolate, "call", IN_A_PROCESS)
    with pytest.raises(AssertionError, match=message):
        check_backend(backend("fault"), time_s)
