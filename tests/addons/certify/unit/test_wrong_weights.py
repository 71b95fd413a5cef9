"""Schemes for rows with weights that have a fault are refuted, each with a choice that shows it."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from pysat.solvers import Solver

from nqbench.addons.certify import weighted_rows
from nqbench.addons.certify.certificate import Result
from nqbench.addons.certify.examiner import certificates
from nqbench.checking.constraint_file import read_rows
from nqbench.clauses.rows import RowForm
from nqbench.common.limits import Limits
from nqbench.encodings import adder, decision_diagram, generalized_totalizer, watchdog
from nqbench.encodings.base import Encoding
from nqbench.problems.families.cnf import Formula

pytestmark = pytest.mark.usefixtures("called_directly")

LIMITS = Limits(time_s=60.0)
FORM = RowForm((7, 5, 3, 2, 2), 10)
ROW = "* #variable= 5 #constraint= 1\n+7 x1 +5 x2 +3 x3 +2 x4 +2 x5 >= 10 ;\n"


def carry_lost(patch):
    """A carry is never true."""
    for name, carry in (("_FULL", 5), ("_HALF", 4)):
        right = getattr(adder, name)
        patch(adder, name, right.with_clauses(np.array([[-carry]], np.int32)))


def carry_too_high(patch):
    """A half adder that has a carry for one true literal."""
    blocks = (np.array([[-3, 1, 2], [-4, 1, 2]], np.int32),)
    patch(adder, "_HALF", replace(adder._HALF, blocks=blocks))


def last_one_of_the_bound_left_out(patch):
    right = adder._compare
    patch(adder, "_compare", lambda steps, bits, least: right(steps, bits, least & least - 1))


def contradiction_of_auxiliaries(patch):
    """Clauses without a model, and without a variable of the row."""
    right = adder.Adder.weigh_rows

    def weigh_rows(self, cnf, rows):
        right(self, cnf, rows)
        extra = cnf.fresh_array(1)
        cnf.add([extra, -extra])

    patch(adder.Adder, "weigh_rows", weigh_rows)


def constant_left_out(patch):
    """The constant that makes the bound a multiple of a power of two."""
    right = watchdog._places
    patch(watchdog, "_places", lambda form: (replace(p, constant=0) for p in right(form)))


def wrong_carries(patch):
    """Odd outputs, whatever the constant has there."""
    right = watchdog._places

    def places(form):
        return (replace(place, constant=1 - place.constant) for place in right(form))

    patch(watchdog, "_places", places)


def one_output_too_few(patch):
    right = watchdog._places
    patch(
        watchdog, "_places", lambda form: (replace(p, most=max(1, p.most - 1)) for p in right(form))
    )


def sum_before_the_bound_missing(patch):
    """Sums of 9, which are allowed, count as 10."""
    right = generalized_totalizer._joined

    def joined(left, others, first, limits, span):
        return right(left, others, first, limits - 1, span)

    patch(generalized_totalizer, "_joined", joined)


def bound_too_large(patch):
    right = generalized_totalizer._broken
    patch(generalized_totalizer, "_broken", lambda form: right(form) + 1)


def intervals_too_wide(patch):
    """Two neighbouring intervals of bounds share a node."""
    right = decision_diagram._intervals

    def intervals(*of_rows):
        return {level: sums[::-2][::-1] for level, sums in right(*of_rows).items()}

    patch(decision_diagram, "_intervals", intervals)


def children_exchanged(patch):
    right = decision_diagram._diagrams

    def diagrams(forms):
        made = right(forms)
        return replace(made, fewer=made.more.copy(), more=made.fewer.copy())

    patch(decision_diagram, "_diagrams", diagrams)


def literal_of_the_next_node(patch):
    right = decision_diagram._diagrams

    def diagrams(forms):
        made = right(forms)
        return replace(made, places=np.minimum(made.places + 1, 4))

    patch(decision_diagram, "_diagrams", diagrams)


FAULTS = [
    ("adder", carry_lost),
    ("adder", carry_too_high),
    ("adder", last_one_of_the_bound_left_out),
    ("adder", contradiction_of_auxiliaries),
    ("watchdog", constant_left_out),
    ("watchdog", wrong_carries),
    ("watchdog", one_output_too_few),
    ("generalized-totalizer", sum_before_the_bound_missing),
    ("generalized-totalizer", bound_too_large),
    ("decision-diagram", intervals_too_wide),
    ("decision-diagram", children_exchanged),
    ("decision-diagram", literal_of_the_next_node),
]


def wrong_choices(cnf):
    """The choices, as literals, on which clauses and row differ, and whether clauses allow them."""
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        for chosen in itertools.product(*((-x, x) for x in range(1, len(FORM.weights) + 1))):
            total = sum(w for w, x in zip(FORM.weights, chosen, strict=True) if x > 0)
            is_allowed = solver.solve(chosen)
            if is_allowed != (total >= FORM.least):
                yield chosen, is_allowed


SECOND_ROW = "+4 x2 +3 ~x3 +2 x4 +1 x6 = 6 ;\n"


def result_of(scheme, text, folder):
    (folder / "a.opb").write_text(text)
    (certificate,) = certificates(scheme, [Formula.at(folder / "a.opb", "a.opb")], LIMITS)
    return certificate


@pytest.mark.parametrize("name", ["adder", "watchdog", "generalized-totalizer", "decision-diagram"])
def test_schemes_are_certified_and_faults_are_not(name, monkeypatch, tmp_path):
    """A choice that refutes a scheme is one on which clauses and row differ."""
    scheme = Encoding.named(name)
    several = ROW.replace("= 5", "= 6").replace("= 1", "= 4") + SECOND_ROW
    several += "+1 x1 +1 x2 +1 x5 >= 2 ;\n+1 x3 +1 ~x6 >= 1 ;\n"
    certificate = result_of(scheme, several, tmp_path)
    assert certificate.result is Result.CERTIFIED, certificate.messages
    for fault in (fault for of, fault in FAULTS if of == name):
        with monkeypatch.context() as patched:
            fault(patched.setattr)
            wrong = [chosen for chosen, _ in wrong_choices(scheme.weighing(FORM))]
            certificate = result_of(scheme, ROW, tmp_path)
        assert certificate.result is Result.REFUTED, fault
        if match := re.search(
            "these are true: (.*)", certificate.messages.get("every solution", "")
        ):
            true = set(map(int, match[1].replace("none", "").replace(",", " ").split()))
            assert tuple(x if x in true else -x for x in range(1, 6)) in wrong


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=[fault.__name__ for _, fault in FAULTS])
def test_a_fault_is_refuted(name, fault, monkeypatch):
    """By enumeration, and by the judge, which reads the row from the file."""
    scheme = Encoding.named(name)
    assert not list(wrong_choices(scheme.weighing(FORM)))
    fault(monkeypatch.setattr)
    refuted = list(wrong_choices(scheme.weighing(FORM)))
    assert refuted
    file = read_rows(ROW.encode().splitlines())
    for chosen, is_allowed in refuted:
        broken = file.broken_by(np.array(chosen) > 0)
        assert (broken is not None) == is_allowed, "the judge agrees with the wrong scheme"


def test_a_fault_is_not_certified_where_only_trying_is_left(monkeypatch, tmp_path):
    scheme = Encoding.named("adder")
    monkeypatch.setattr(weighted_rows, "_unmet", lambda *_: None)
    assert result_of(scheme, ROW, tmp_path).result is Result.CERTIFIED
    contradiction_of_auxiliaries(monkeypatch.setattr)
    assert result_of(scheme, ROW, tmp_path).result is not Result.CERTIFIED
