"""Schemes for at most k, and problems whose items have bounds."""

import numpy as np
import pytest
from addons import needs_addon
from library_schemes import COUNTING, FOR_ONE
from pysat.card import CardEnc, EncType
from pysat.solvers import Solver

import nqbench
from nqbench.backends.base import Backend
from nqbench.checking import exhaustive, reference
from nqbench.checking.oracle import OutOfBudget
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.encodings.counting import CountingEncoding
from nqbench.encodings.lines import LineEncoding
from nqbench.plugins import encoding_names
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens
from nqbench.testing import check_family
from nqbench.testing.brute_force import BOUNDED_COVERS, AnyCover, solutions
from nqbench.testing.encodings import check_at_most, check_instances

pytestmark = pytest.mark.usefixtures("called_directly")

SCHEMES = sorted(
    {
        encoding.name
        for encoding in map(Encoding.named, encoding_names())
        if isinstance(encoding, CountingEncoding) and not encoding.why_not(BOUNDED_COVERS[0])
    }
    | {*COUNTING}
)
SOME = ["sequential", "totalizer", "pysat:seqcounter"]
"""A counter, a tree, and one of a library."""

NUMBERS = [(n, k) for n in (4, 7) for k in range(1, n - 1)]


def allowed(formula, n):
    """Which sets of the first n variables can be true, as bits of numbers."""
    with Solver("minisat22", bootstrap_with=formula.clauses()) as solver:
        for number in range(2**n):
            bits = [v if number >> (v - 1) & 1 else -v for v in range(1, n + 1)]
            if solver.solve(assumptions=bits):
                yield number


@pytest.mark.parametrize("scheme", COUNTING)
def test_exactly_the_sets_of_at_most_k_are_allowed(scheme):
    """By the schemes of other libraries; those of nqbench are checked in `test_encodings`."""
    encoding = Encoding.named(scheme)
    for n in (1, 3, 6, 8):
        for k in range(n + 1):
            check_at_most(encoding, n, k)
    check_instances(encoding, BOUNDED_COVERS)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_scheme_tightens_if_clauses_for_less_leave_exactly_that(scheme):
    """With the clauses for both, exactly the sets of at most the smaller k are allowed."""
    encoding = Encoding.named(scheme)
    left = []
    for n, k in NUMBERS:
        loose = encoding.at_most(n, k)
        for tighter in range(k):
            tight = encoding.at_most(n, tighter)
            if tight.num_variables in (n, loose.num_variables):
                both = CNF(loose.num_variables, n, (*loose.blocks, *tight.blocks))
                few = [number for number in range(2**n) if number.bit_count() <= tighter]
                left.append(list(allowed(both, n)) == few)
            else:
                left.append(False)
    assert all(left) == encoding.tightens


@pytest.mark.parametrize("n", [16, 23])
@pytest.mark.parametrize("k", [2, 5, 11])
def test_the_network_has_the_size_of_that_of_pysat(n, k):
    ours = Encoding.named("sorting-network").at_most(n, k)
    whole = 1 << (n - 1).bit_length()
    theirs = CardEnc.atmost(list(range(1, whole + 1)), bound=k, encoding=EncType.sortnetwrk)
    assert ours.num_clauses == len(theirs.clauses) + (n < whole)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bounded_items_are_accepted_and_stated_in_any_order(scheme):
    """In the usual order they are stated in the checks of all encodings."""
    assert {Encoding.named(scheme).why_not(problem) for problem in BOUNDED_COVERS} == {None}
    in_another_order = Encoding.named(f"{scheme}:order=random:order-seed=3")
    check_instances(in_another_order, BOUNDED_COVERS[:3])


@pytest.mark.parametrize("problem", BOUNDED_COVERS, ids=str)
def test_rules_cover_and_count_agree(problem, monkeypatch):
    """Also where the rules as clauses count in variables of their own."""
    expected = {tuple(sorted(each)) for each in solutions(problem)}
    counted = {tuple((v - 1,) for v in chosen) for chosen in exhaustive.solutions(problem)}
    assert counted == expected
    assert exhaustive.count(problem) == len(expected)
    assert exhaustive.has_solution(problem) == bool(expected)
    for most in (reference.MOST_SUBSETS, 0):
        monkeypatch.setattr(reference, "MOST_SUBSETS", most)
        stated = reference.clauses(problem.rules())
        n = problem.num_options
        found = {tuple((v,) for v in range(n) if number >> v & 1) for number in allowed(stated, n)}
        assert found == expected
    cover = problem.constraints()
    cover.check()
    assert Constraints.unpack(memoryview(b"".join(cover.pack()))).digest() == cover.digest()
    backend = Backend.named("cp-sat-cover").load(cover)
    assert (backend.solve() == "sat") == bool(expected)


def test_an_encoding_that_does_not_count_says_so():
    (problem,) = BOUNDED_COVERS[:1]
    for name in ("bitwise", "csp", "pyeda-onehot", "ladder", *FOR_ONE):
        refusal = Encoding.named(name).why_not(problem)
        assert "does not count" in refusal, name
        if ": choose for instance " in refusal:
            _, choice = refusal.split(": choose for instance ")
            assert choice.endswith(f":one={name}")
            assert Encoding.named(choice).why_not(problem) is None
        else:
            assert not isinstance(Encoding.named(name), LineEncoding), name
    with pytest.raises(InputError, match="'xcover' does not count"):
        nqbench.solve(problem, backend="xcover")
    with pytest.raises(InputError, match="155117520 clauses for at most 14 of 30"):
        Encoding.named("pairwise").at_most(30, 14)
    for name in FOR_ONE:
        with pytest.raises(InputError, match=f"'{name}' states at most one, not at most 3 of 6"):
            Encoding.named(name).at_most(6, 3)


def test_wrong_bounds_are_noticed():
    items = np.array([[1, 2]], np.int32)
    for least, most in ((2, 1), (-1, 1)):
        with pytest.raises(ValueError, match="bounds"):
            Constraints.of(2, Rows(items, least, most)).check()


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("queen-domination", (1, 2, 3, 4)),
        ("queen-domination:independent=yes", (1, 2, 3)),
        ("squares-free", (1, 2, 3, 4)),
        ("squares-free:squares=all", (1, 2, 3)),
        ("peaceable-queens", (1, 2)),
        ("peaceable-queens:k=1", (2, 3)),
        ("van-der-waerden", (1, 2, 5, 9)),
        ("van-der-waerden:red=2:blue=4", (4, 7)),
    ],
)
def test_the_family_conforms(name, sizes):
    family = Family.named(name)
    check_family(family, [family.of_size(n) for n in sizes])


DOMINATING = (1, 4, 1, 12, 186, 4, 86)
"""Ways to dominate a board of 1..7 rows with the least number of queens. OEIS A002564."""


def test_the_least_number_of_queens_is_known_and_counted():
    for n, expected in enumerate(DOMINATING, 1):
        problem = Family.named("queen-domination").of_size(n)
        assert exhaustive.count(problem) == expected
        if problem.k > 1:
            fewer = Family.named(f"queen-domination:k={problem.k - 1}").of_size(n)
            assert exhaustive.count(fewer) == 0


def test_answers_are_verified_on_both_sides():
    """`unsat` by proofs of the formula and of the rules, without the published numbers."""
    problems = [Family.named(f"queen-domination:k={k}").of_size(6) for k in (2, 3)]
    records = nqbench.run(
        problems, encodings=SOME, backends="cadical195,minisat22", repeat=1, pin=False
    )
    assert len(records) == 4 * len(SOME)
    assert set(records["verdict"]) == {"verified"}
    assert set(records.filter(family="queen-domination:k=2")["answer"]) == {"unsat"}
    assert set(records.filter(family="queen-domination:k=3")["answer"]) == {"sat"}


def bounded(n, least, most):
    return AnyCover(
        n, bounded=((tuple(range(1, n + 1)), least, most),), instance=f"{least}-to-{most}-of-{n}"
    )


@needs_addon("certify")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_schemes_are_certified(scheme):
    problems = [bounded(5, 0, 2), bounded(8, 2, 5), Family.named("queen-domination").of_size(3)]
    found = nqbench.certify(scheme, problems)
    assert {each.result for each in found} == {"certified"}


@needs_addon("certify")
@pytest.mark.parametrize(
    ("scheme", "n", "k"),
    [("sequential", 22, 2), ("cardinality-network", 22, 2), ("commander", 12, 5)],
)
def test_schemes_are_certified_by_proofs_alone(scheme, n, k):
    """Where solutions are too many to count, or the groups of `commander` are large."""
    (found,) = nqbench.certify(scheme, [bounded(n, 0, k)])
    assert (found.only_solutions.state, found.every_solution.state) == ("proved", "proved")


@needs_addon("certify")
def test_the_empty_solution_is_counted_among_many():
    """At most 7 of 12 have 3 302 solutions, which are looked for one by one; one is empty."""
    problem = AnyCover(12, bounded=((tuple(range(1, 13)), 0, 7),))
    (certificate,) = nqbench.certify("sequential", [problem])
    count = certificate.count
    assert (str(count.state), count.found, count.expected) == ("proved", 3302, 3302)


def test_an_exhaustive_count_stops_at_its_budget():
    """At most 7 of 12 have 3 302 solutions; the choices of fewer options come in addition."""
    problem = AnyCover(12, bounded=((tuple(range(1, 13)), 0, 7),))
    assert exhaustive.count(problem, 20_000) == 3302
    with pytest.raises(OutOfBudget):
        exhaustive.count(problem, 5_000)


def test_a_hopeless_search_ends_early():
    """Of problems that count, fewer partial solutions are looked at, and small ones are decided."""
    for n in (3, 8):
        board = Family.named("queen-domination:k=1").of_size(n)
        plain = Queens(n, blocked=((0, 0),))
        assert exhaustive.quick_budget(board) < exhaustive.quick_budget(plain)
        budget = exhaustive.quick_budget(board)
        assert exhaustive.has_solution(board, budget) == (n == 3)
