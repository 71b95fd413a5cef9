"""Templates that are not too strict, and those that are."""

import itertools

import numpy as np
import pytest
from library_schemes import COUNTING as LIBRARY_SCHEMES
from library_schemes import FOR_ONE as LIBRARY_SCHEMES_FOR_ONE
from stated_rows import encoded, rows_of, with_clause

from nqbench.checking import row_clauses
from nqbench.clauses.cnf import CNF
from nqbench.common.limits import Limits, PatientLimits
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation
from nqbench.measure.implication.counting_lemmas import Prefixes
from nqbench.measure.implication.steps import State, Steps
from nqbench.measure.implication.templates import Templates
from nqbench.measure.run_judge import certifier

pytestmark = pytest.mark.usefixtures("called_directly")

SCHEMES = (
    "sequential",
    "totalizer",
    "cardinality-network",
    "sorting-network",
    "parallel-counter",
    "modulo-totalizer",
    "k-modulo-totalizer",
    "pairwise",
    "product",
    "commander",
)


@pytest.fixture(scope="module")
def templates():
    return Templates(Steps(certifier(), Isolation(), PatientLimits(time_s=60)))


@pytest.mark.parametrize("scheme", [*SCHEMES, *LIBRARY_SCHEMES])
@pytest.mark.parametrize(("n", "most"), [(5, 1), (8, 3)])
def test_schemes_allow_exactly_what_their_row_does(scheme, n, most, templates):
    """Those of libraries are black boxes."""
    template = Encoding.named(scheme).at_most(n, most)
    for show in (templates.show_not_too_strict, templates.show_not_too_loose):
        shown = show(template, 0, most)
        assert shown.state is State.PROVED, shown.message
    assert templates.show_not_too_strict(template, 0, most + 1).state is State.REFUTED
    loose = templates.show_not_too_loose(template, 0, most - 1)
    assert loose.state is State.REFUTED
    assert len(loose.message.partition("true: ")[2].split(", ")) == most
    assert templates.show_not_too_loose(template, 1, most).state is State.REFUTED


@pytest.mark.parametrize("scheme", ["ladder", "bitwise", "bimander", *LIBRARY_SCHEMES_FOR_ONE])
@pytest.mark.parametrize("n", [5, 9])
def test_schemes_for_one_allow_exactly_what_their_row_does(scheme, n, templates):
    template = Encoding.named(scheme).at_most_one(n)
    assert templates.show_not_too_strict(template, 0, 1).state is State.PROVED
    assert templates.show_not_too_loose(template, 0, 1).state is State.PROVED
    assert templates.show_not_too_loose(template, 0, 0).state is State.REFUTED
    assert templates.show_not_too_strict(template, 0, 2).state is State.REFUTED


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(2))
def test_a_clause_that_is_missing_is_found_exactly_if_it_allows_more(scheme, seed, templates):
    template = Encoding.named(scheme).at_most(6, 2)
    every = list(template.clauses())
    left = np.random.default_rng(seed).integers(len(every))
    blocks = (np.array([c], np.int32) for at, c in enumerate(every) if at != left)
    changed = CNF(template.num_variables, 6, tuple(blocks))
    is_tight = all(sum(choice) <= 2 for choice in extendable(changed))
    shown = templates.show_not_too_loose(changed, 0, 2)
    assert shown.state is (State.PROVED if is_tight else State.REFUTED), shown.message


@pytest.mark.parametrize("scheme", ["sequential", "totalizer"])
def test_lemmas_show_what_takes_solvers_long(scheme, templates):
    template = Encoding.named(scheme).at_most(40, 20)
    assert templates.show_not_too_strict(template, 0, 20).state is State.PROVED


def test_templates_of_other_libraries_are_shown(templates):
    from pysat.card import CardEnc, EncType

    for encoding in (EncType.seqcounter, EncType.mtotalizer, EncType.kmtotalizer):
        made = CardEnc.equals(list(range(1, 21)), bound=6, encoding=encoding)
        widths = sorted({len(clause) for clause in made.clauses})
        blocks = (np.array([c for c in made.clauses if len(c) == w], np.int32) for w in widths)
        template = CNF(made.nv, 20, tuple(blocks))
        shown = templates.show_not_too_strict(template, 6, 6)
        assert shown.state is State.PROVED, (encoding, shown.message)
        assert templates.show_not_too_strict(template, 5, 6).state is State.REFUTED


def extendable(template):
    """Which choices of the main variables extend to a model, by a solver."""
    from pysat.solvers import Solver

    n = template.num_main
    with Solver("minisat22", bootstrap_with=template.clauses()) as solver:
        return {
            choice
            for choice in itertools.product([False, True], repeat=n)
            if solver.solve(assumptions=[v if c else -v for v, c in enumerate(choice, 1)])
        }


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_random_clause_too_many_is_found_exactly_if_it_forbids_something(scheme, seed, templates):
    template = Encoding.named(scheme).at_most(6, 2)
    rng = np.random.default_rng(seed)
    variables = rng.choice(template.num_variables, 3, replace=False) + 1
    changed = with_clause(template, *(variables * rng.choice([-1, 1], 3)).tolist())
    allowed = {c for c in itertools.product([False, True], repeat=6) if sum(c) <= 2}
    shown = templates.show_not_too_strict(changed, 0, 2)
    assert shown.state is not State.OPEN, shown.message
    assert (shown.state is State.PROVED) == (allowed <= extendable(changed))


@pytest.mark.parametrize("clause", [[-1, -1], [1, -1], [-1, -2, -2], [-1, -2, -3], []])
def test_clauses_of_main_variables_are_judged_right(clause, templates):
    template = CNF(4, 4, (np.array([clause], np.int32),))
    allowed = {c for c in itertools.product([False, True], repeat=4) if 1 <= sum(c) <= 2}
    meets = {c for c in allowed if any(c[abs(x) - 1] == (x > 0) for x in clause)}
    shown = templates.show_not_too_strict(template, 1, 2)
    assert shown.state is (State.PROVED if meets == allowed else State.REFUTED), shown.message


@pytest.mark.parametrize(("n", "most"), [(1, 0), (3, 1), (4, 2), (5, 4)])
def test_the_counter_of_prefixes_allows_what_the_row_does(n, most):
    order = [*range(2, n + 1), 1]
    cnf = Prefixes(order, most, after=n + 2).premise()
    every = itertools.product([False, True], repeat=n)
    assert extendable(cnf) == {choice for choice in every if sum(choice) <= most}


PIGEONS = "p cnf+ 12 7\n" + "".join(
    f"{' '.join(str(3 * pigeon + hole) for hole in (1, 2, 3))} >= 1\n" for pigeon in range(4)
)
PIGEONS += "".join(
    f"{' '.join(str(3 * pigeon + hole) for pigeon in range(4))} <= 1\n" for hole in (1, 2, 3)
)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_unsat_of_an_instance_is_unsat_of_its_file(scheme, templates):
    file = rows_of(PIGEONS)
    instance, stampings = encoded(PIGEONS, scheme)
    known = templates.steps.certifier
    assert known.decide_formula(instance, Limits()).satisfiable is False
    assert templates.show_implied(instance, file, stampings).state is State.PROVED
    assert known.decide_formula(row_clauses.as_clauses(file), Limits()).satisfiable is False


def test_a_template_that_is_too_strict_shows_nothing_about_the_file(templates):
    text = "p cnf+ 6 1\n1 2 3 4 5 6 <= 2\n"
    strict = encoded(
        text, template=lambda n, most: Encoding.named("totalizer").at_most(n, most - 1)
    )
    shown = templates.show_implied(*strict[:1], rows_of(text), strict[1])
    assert shown.state is State.REFUTED
    assert "forbids that of 6 variables these are true" in shown.message


def test_a_template_that_is_too_loose_shows_in_its_model(templates):
    text = "p cnf+ 6 1\n1 2 3 4 5 6 <= 2\n"

    def loose(n, most):
        template = Encoding.named("totalizer").at_most(n, most)
        return CNF(template.num_variables, n, template.blocks[1:])

    instance, stampings = encoded(text, template=loose)
    assert templates.show_implied(instance, rows_of(text), stampings).state is State.PROVED
    model = np.ones(6, dtype=np.bool_)
    assert (True,) * 6 in extendable(stampings[0].template)
    assert "line 2: it has 6, not at most 2" in rows_of(text).broken_by(model)
