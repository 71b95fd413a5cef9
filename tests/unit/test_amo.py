"""At-most-one constraints of formulas: found in the clauses, and written in another scheme."""

import itertools
import random
import tempfile

import numpy as np
import pytest
from library_schemes import EVERY
from pysat.solvers import Solver

import nqbench
from nqbench.backends.base import Backend
from nqbench.checking.by_dratify import text
from nqbench.clauses import dimacs
from nqbench.clauses.constraints import as_clauses
from nqbench.clauses.rewriting import cliques
from nqbench.clauses.rewriting.cliques import cover_edges
from nqbench.clauses.rewriting.detection import find_constraints, implicit
from nqbench.clauses.rewriting.rewrite import reencode
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import ProofForm
from nqbench.encodings.base import Encoding
from nqbench.encodings.rewriting import RewritingEncoding, scheme
from nqbench.plugins.loading import encoding_names
from nqbench.problems.base import Problem
from nqbench.problems.families.pigeonhole import Pigeonhole
from nqbench.problems.queens import Queens

SCHEMES = sorted(
    {
        each.name
        for each in map(Encoding.named, encoding_names())
        if isinstance(each, RewritingEncoding) and each.only_for is Problem
    }
    | {*EVERY}
)


def formula(text):
    """A formula, of which only the clauses are given."""
    clauses = [line.split() for line in text.strip().splitlines()]
    variables = max(abs(int(literal)) for clause in clauses for literal in clause)
    lines = [f"p cnf {variables} {len(clauses)}", *(f"{' '.join(c)} 0" for c in clauses)]
    return dimacs.read("\n".join(lines).encode(), "test")


def drawn(seed, nodes=12, share=0.5):
    """A random graph."""
    chosen = random.Random(seed)
    every = itertools.combinations(range(nodes), 2)
    return [pair for pair in every if chosen.random() < share]


@pytest.fixture(params=["exact", "greedy"])
def search(request, monkeypatch):
    if request.param == "greedy":
        monkeypatch.setattr(cliques, "MOST_NODES", 0)
    return request.param


@pytest.mark.parametrize("share", [0.2, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_a_cover_has_each_edge_in_a_triangle_and_only_maximal_cliques(seed, share, search):
    edges = drawn(seed, share=share)
    cover = cover_edges(12, np.array(edges))
    triangles = [
        each
        for each in map(set, itertools.combinations(range(12), 3))
        if sum(each.issuperset(edge) for edge in edges) == 3
    ]
    assert cover.is_exact or search == "greedy"
    inside = {pair for clique in cover.cliques for pair in itertools.combinations(clique, 2)}
    assert inside == {e for e in edges if any(each.issuperset(e) for each in triangles)}
    near = {node: {a + b - node for a, b in edges if node in (a, b)} for node in range(12)}
    for clique in cover.cliques:
        assert not set.intersection(*(near[node] for node in clique))


def test_too_many_cliques_are_left_to_the_greedy_search(monkeypatch):
    monkeypatch.setattr(cliques, "MOST_CLIQUES", 3)
    assert not cover_edges(12, np.array(drawn(1))).is_exact


def lines(n):
    """The rows, columns and diagonals of a board, as sets of variables."""
    squares = list(itertools.product(range(n), repeat=2))
    by = [lambda r, c: ("row", r), lambda r, c: ("column", c)]
    by += [lambda r, c: ("falling", r - c), lambda r, c: ("rising", r + c)]
    found = {}
    for name in by:
        for r, c in squares:
            found.setdefault(name(r, c), set()).add(r * n + c + 1)
    return [line for line in found.values() if len(line) > 3]


@pytest.mark.parametrize("n", [8, 11, 16])
def test_every_line_of_a_board_is_found_and_at_most_four_more(n, search):
    """Three squares in a diagonal lie in a clique with the corner, and are no maximal one."""
    every = find_constraints(Encoding.named("pairwise").clauses(Queens(n)))
    assert every.left == 0
    assert every.binary == n * (n - 1) * (5 * n - 1) // 3
    constraints = [set(each.literals) for each in every.constraints]
    if search == "exact":
        assert all(line in constraints for line in lines(n))
        assert len(constraints) <= 6 * n - 10 + 4
    assert sum(each.exactly for each in every.constraints) >= 2 * n * (search == "exact")
    stated = [set(each.literals) for each in every.constraints if each.exactly]
    rows = [set(range(r * n + 1, r * n + n + 1)) for r in range(n)]
    assert all(row in stated for row in rows) or search == "greedy"


def test_what_is_no_pair_of_two_variables_is_in_no_constraint():
    """A literal twice, and a literal with its negation."""
    every = find_constraints(formula("-1 -1\n-1 1\n2 -2\n-1 -2"))
    assert every.constraints == []
    assert (every.binary, every.left) == (1, 1)


def test_one_pair_less_is_another_constraint():
    whole = "-1 -2\n-1 -3\n-1 -4\n-2 -3\n-2 -4\n-3 -4"
    assert [each.literals for each in find_constraints(formula(whole)).constraints] == [
        (1, 2, 3, 4)
    ]
    less = find_constraints(formula(whole.replace("\n-3 -4", "")))
    assert {each.literals for each in less.constraints} == {(1, 2, 3), (1, 2, 4)}


@pytest.mark.parametrize(
    ("clause", "exactly"),
    [("1 -2 3", True), ("3 1 -2", True), ("1 2 3", False), ("1 -2 3 4", False)],
)
def test_exactly_one_is_stated_by_a_clause_of_the_same_literals(clause, exactly):
    (each,) = find_constraints(formula(f"-1 2\n-1 -3\n2 -3\n{clause}")).constraints
    assert each.literals == (1, -2, 3)
    assert each.exactly == exactly


@pytest.mark.parametrize("name", SCHEMES)
def test_a_board_in_another_scheme_has_its_solutions_and_no_others(name):
    """The published number; each model, cut off, is one of the original formula."""
    n, count = 7, 40
    original = Encoding.named("pairwise").clauses(Queens(n))
    done = reencode(original, scheme(name), least=3)
    models = set()
    clauses = list(as_clauses(done.formula).clauses())
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        while solver.solve():
            values = np.array(solver.get_model()) > 0
            own = done.original(values)
            assert original.falsified(own) is None
            model = tuple((np.flatnonzero(own) + 1).tolist())
            assert model not in models
            models.add(model)
            solver.add_clause([-v if own[v - 1] else v for v in range(1, n * n + 1)])
    assert len(models) == count


@pytest.mark.parametrize("name", ["product", "sequential", "bitwise", "commander"])
@pytest.mark.parametrize("seed", range(3))
def test_any_formula_keeps_its_models(name, seed):
    """Random clauses of both signs, repeated and with literals twice."""
    chosen = random.Random(seed)
    literals = [sign * v for v in range(1, 8) for sign in (1, -1)]
    clauses = [chosen.choices(literals, k=chosen.choice([1, 2, 2, 2, 3])) for _ in range(12)]
    clauses += itertools.combinations(chosen.sample(literals, 5), 2)
    chosen.shuffle(clauses)
    original = formula("\n".join(" ".join(map(str, clause)) for clause in [*clauses, [8]]))
    done = reencode(original, scheme(name), least=3)
    with Solver("cadical153", bootstrap_with=list(done.formula.clauses())) as solver:
        for values in itertools.product((False, True), repeat=original.num_variables):
            is_model = original.falsified(np.array(values)) is None
            chosen_literals = [v if value else -v for v, value in enumerate(values, 1)]
            assert solver.solve(assumptions=chosen_literals) == is_model


@pytest.mark.parametrize("seed", range(12))
def test_of_literals_that_occur_nowhere_else_one_can_be_chosen(seed):
    """To allow only one of them takes no formula its last model."""
    chosen = random.Random(seed)
    literals = [sign * v for v in range(1, 8) for sign in (1, -1)]
    clauses = [chosen.sample(literals, chosen.choice([2, 3, 3])) for _ in range(14)]
    clauses += [[8, -9, 10], [-8, 1], [9, -1], [-10, 2, 3]]
    some = formula("\n".join(" ".join(map(str, clause)) for clause in clauses))
    (free, *_) = [each for each in implicit(some) if 8 in each]
    assert free == (8, -9, 10)
    pairs = [[-a, -b] for each in implicit(some) for a, b in itertools.combinations(each, 2)]
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        before = solver.solve()
    with Solver("cadical153", bootstrap_with=[*clauses, *pairs]) as solver:
        assert solver.solve() == before


@pytest.mark.parametrize("other", ["8 1", "-9 8", "-8 -8 8", "8 -9 10"])
def test_a_literal_that_occurs_elsewhere_is_not_free(other):
    assert implicit(formula("8 -9 10\n1 2")) == [(8, -9, 10)]
    assert implicit(formula(f"8 -9 10\n1 2\n{other}")) == []


@pytest.mark.parametrize("k", [8, 9, 20, 33, 64])
def test_pairs_become_a_scheme_of_the_stated_size(k):
    pairs = "\n".join(f"-{a} -{b}" for a, b in itertools.combinations(range(1, k + 1), 2))
    done = reencode(formula(pairs), scheme("product"))
    assert done.dropped == k * (k - 1) // 2
    alone = Encoding.named("product").at_most_one(k)
    assert done.formula.num_clauses == done.added == alone.num_clauses
    assert find_constraints(formula(pairs)).sizes == {k: 1}


@pytest.mark.parametrize("k", [8, 9, 10])
def test_bounded_variable_addition_has_more_clauses_than_its_bound(k):
    """In a proof of CaDiCaL 3 there are never fewer than 3k - 6 for each constraint of pairs:
    B. Przybocki, B. Subercaseaux, M. Heule, arXiv 2603.27774.
    """
    holes = k - 1
    pairs = Encoding.named("pairwise").clauses(Pigeonhole(holes))
    with tempfile.TemporaryFile() as file:
        Backend.named("cadical300:bva=true").prove(pairs, file)
        file.seek(0)
        steps = [line.split() for line in text(file.read(), ProofForm.DRAT).splitlines() if line]
    changes = itertools.accumulate(-1 if step[0] == "d" else 1 for step in steps)
    least = pairs.num_clauses + min(changes)
    assert max(abs(int(v)) for step in steps for v in step if v != "d") > pairs.num_variables
    assert k + holes * (3 * k - 6) <= least < pairs.num_clauses


def test_small_constraints_and_other_clauses_stay():
    text = "-1 -2\n-1 -3\n-2 -3\n4 5 6\n-6\n-4 7"
    done = reencode(formula(text), scheme("product"))
    assert (done.replaced, done.dropped, done.added) == ([], 0, 0)
    assert done.formula.digest() == formula(text).digest()
    assert sorted(done.formula.clauses()) == sorted(formula(text).clauses())


def test_files_are_read_written_and_refused(tmp_path):
    source, target = tmp_path / "q.cnf", tmp_path / "p.cnf"
    cnf = Encoding.named("pairwise").clauses(Queens(8))
    source.write_text(dimacs.text(cnf))
    done = nqbench.reencode(source, "product", output=target)
    again = dimacs.read(target.read_bytes(), "p.cnf")
    assert list(again.clauses()) == list(done.formula.clauses())
    assert done.found.sizes[8] == 18
    for path, name, least, said in (
        (source, "log", 3, "has no at-most-one scheme"),
        (tmp_path / "missing.cnf", "product", 3, r"missing\.cnf"),
        (source, "product", 0, "least"),
    ):
        with pytest.raises(InputError, match=said):
            nqbench.reencode(path, name, least=least)
