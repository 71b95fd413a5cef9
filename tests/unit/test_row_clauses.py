"""The judge's own clauses of rows, against brute force over all choices."""

import io
import itertools
import random
from collections import Counter

import numpy as np
import pytest
from pysat.solvers import Solver
from stated_sums import as_opb, choices, meets, total

from nqbench.checking import row_clauses
from nqbench.checking.constraint_file import read_rows
from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError, TooManyClausesError

pytestmark = pytest.mark.usefixtures("called_directly")


def models_of(cnf):
    """How many models each choice of the main variables has."""
    found = Counter()
    with Solver("minisat22", bootstrap_with=cnf.clauses()) as solver:
        # Variables in no clause are in no model.
        fixed = [[v, -v] for v in range(1, cnf.num_variables + 1)]
        solver.append_formula(fixed)
        while solver.solve():
            model = solver.get_model()
            found[tuple(v > 0 for v in model[: cnf.num_main])] += 1
            if not model:
                break
            solver.add_clause([-v for v in model])
    return found


@pytest.mark.parametrize("make", [row_clauses.row_clauses, row_clauses.counted])
@pytest.mark.parametrize("n", range(7))
def test_each_allowed_choice_has_one_model_and_no_other_has_any(make, n):
    every = choices(n)
    for least, most in itertools.product(range(n + 2), range(-1, n + 1)):
        if make is row_clauses.counted and not (least <= min(n, most) and most >= 0):
            continue  # only bounds that can be met
        expected = {choice: 1 for choice in every if least <= sum(choice) <= most}
        assert models_of(make(n, least, most)) == expected, (least, most)


@pytest.mark.parametrize(
    "tree", [((5, 1), (4, (3, 2))), (((((2, 1), 3), 4), 5)), (1, (2, (3, (4, 5))))]
)
def test_any_tree_of_the_variables_counts_them(tree):
    for least, most in [(0, 1), (2, 3), (3, 5), (4, 4)]:
        cnf = row_clauses.counted(5, least, most, after=9, tree=tree)
        every = choices(5)
        expected = {choice for choice in every if least <= sum(choice) <= most}
        outputs = models_of(CNF(cnf.num_variables, 5, cnf.blocks))
        assert set(outputs) == expected


@pytest.mark.parametrize("tree", [(1, 2), (1, (2, 2)), (1, (2, 4))])
def test_a_tree_without_each_variable_once_is_refused(tree):
    with pytest.raises(ValueError, match="each of 3 variables once"):
        row_clauses.counted(3, 1, 2, tree=tree)


@pytest.mark.parametrize("n", [9, 12])
def test_long_rows_are_counted(n):
    cnf = row_clauses.row_clauses(n, 4, 6)
    assert cnf.num_variables > n
    assert len(models_of(cnf)) == sum(4 <= i.bit_count() <= 6 for i in range(2**n))


def random_file(rng, form):
    """A file on few variables, how many these are, and its rows."""
    variables = rng.randint(1, 5)
    rows = []
    for _ in range(rng.randint(1, 4)):
        chosen = rng.sample(range(1, variables + 1), rng.randint(1, variables))
        # Literals that occur twice, beside opposite ones, keep one weight.
        literals = [rng.choice([v, -v]) for v in chosen] * rng.choice([1, 1, 2])
        if form in {"cnf+", "knf"} and rng.random() < 0.3:
            literals += [variables + 1, -variables - 1]
        kept = rng.choice([-3, -2, 1, 1, 2])
        weights = {
            "opb": [rng.choice([1, -1]) * rng.randint(1, 20) for _ in literals],
            "opb of one weight": [kept * rng.choice([1, -1]) for _ in literals],
        }.get(form, [1] * len(literals))
        terms = list(zip(weights, literals, strict=True))
        relation = rng.choice({"cnf+": ["<=", ">="], "knf": [">="]}.get(form, [">=", "="]))
        reached = total(terms, rng.choices([False, True], k=variables + 1))
        rows.append((terms, relation, reached + rng.randint(-1, 1)))
    text = {"cnf+": cnf_plus, "knf": knf}.get(form, as_opb)(variables + 1, rows)
    return text, variables + 1, rows


def spelled(terms):
    return " ".join(str(literal) for _, literal in terms)


def cnf_plus(variables, rows):
    lines = [f"p cnf+ {variables} {len(rows)}"]
    lines += [f"{spelled(terms)} {relation} {bound}" for terms, relation, bound in rows]
    return "\n".join(lines)


def knf(variables, rows):
    lines = [f"p knf {variables} {len(rows)}"]
    lines += [f"k {bound} {spelled(terms)} 0" for terms, _, bound in rows]
    return "\n".join(lines)


@pytest.mark.parametrize("form", ["opb", "opb of one weight", "cnf+", "knf"])
@pytest.mark.parametrize("seed", range(20))
def test_the_clauses_of_a_file_have_its_solutions(form, seed):
    text, variables, rows = random_file(random.Random(f"{form} {seed}"), form)
    file = read_rows(text.encode().splitlines())
    cnf = row_clauses.as_clauses(file)
    cnf.check()
    every = choices(variables)
    assert models_of(cnf) == {choice: 1 for choice in every if meets(rows, choice)}, text
    for choice in every:
        assert (file.broken_by(np.array(choice)) is None) == meets(rows, choice), text


@pytest.mark.parametrize("bound", [2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1])
@pytest.mark.parametrize("relation", [">=", "<=", "="])
def test_a_bound_of_any_size_is_far_from_the_sum(relation, bound):
    """-1 x1 is 1 ~x1 - 1, with which a bound may leave 64 bits."""
    file = read_rows([f"-1 x1 -1 x2 {relation} {bound} ;\n".encode()])
    is_met = relation == ("<=" if bound > 0 else ">=")
    assert len(models_of(row_clauses.as_clauses(file))) == 4 * is_met


def test_weights_that_differ_are_refused_by_line_where_rows_are_counted():
    file = read_rows(io.BytesIO(b"+1 x1 +1 x2 >= 1 ;\n+2 x1 +1 x2 +1 x3 >= 2 ;\n"))
    with pytest.raises(InputError, match="line 2: weights that differ"):
        row_clauses.grouped(file)


def test_weights_of_a_variable_are_added_up():
    file = read_rows(io.BytesIO(b"+3 x1 -2 x1 +1 x2 +5 ~x3 +5 x3 >= 6 ;\n"))
    (group,) = row_clauses.grouped(file)
    assert (group.literals.tolist(), group.least, group.most) == ([[1, 2]], 1, 2)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("+2 x1 +1 x2 >= 1 ;", ([1, 2], 1, 2)),  # a clause with a literal twice
        ("+3 x1 +2 ~x2 >= 2 ;", ([1, -2], 1, 2)),
        ("+7 x1 +5 x2 +5 x3 <= 12 ;", ([1, 2, 3], 0, 2)),
        ("+3 x1 +3 x2 +3 x3 >= 4 ;", ([1, 2, 3], 2, 3)),
        ("+2 x1 +2 x2 = 3 ;", ([1, 2], 2, 1)),
        ("+1 x1 -1 x1 >= 1 ;", ([], 1, 0)),
    ],
)
def test_weights_that_come_to_the_same_are_none(row, expected):
    (group,) = row_clauses.grouped(read_rows([row.encode()]))
    assert (group.literals[0].tolist(), group.least, group.most) == expected


def test_too_many_clauses_are_not_written(monkeypatch):
    monkeypatch.setattr(row_clauses, "MOST_LITERALS", 100_000)
    row = " ".join(map(str, range(1, 1001)))
    file = read_rows(io.BytesIO(f"p cnf+ 1000 1\n{row} <= 500\n".encode()))
    with pytest.raises(TooManyClausesError, match="too many clauses"):
        row_clauses.as_clauses(file)
