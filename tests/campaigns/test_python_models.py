"""Models from Python: what CPMpy, PySAT and enumeration say about them, nqbench says as well."""

import warnings
from itertools import product

import cpmpy as cp
import pytest
from pysat.examples.rc2 import RC2
from pysat.formula import CNF, CNFPlus, WCNFPlus

import nqbench
from nqbench.common.errors import InputError


def test_the_best_values_are_those_of_cpmpy():
    """Integers below and above zero, constants in the objective, and global constraints."""
    x, y, z = cp.intvar(-3, 4, shape=3, name="x")
    b, c = cp.boolvar(shape=2, name="b")
    u = cp.intvar(2, 150, name="u")
    linear = cp.Model(3 * x - 2 * y >= 5, b.implies(z <= x), c == (y > z), b | ~c, u + 7 * x >= 100)
    linear.minimize(x + 4 * z - y + 2 * ~b + u)
    nested = cp.Model(cp.AllDifferent(x, y, z), cp.max([x, y]) <= 3, (x == 2) | (z * 2 > y))
    nested.maximize(cp.max([x, z]) - 5 * y)
    models = [linear, nested]
    optima = nqbench.optimum(map(nqbench.constraints, models), search="binary")
    for model, optimum in zip(models, optima, strict=True):
        assert model.solve()
        assert optimum.best == model.objective_value()
        assert optimum.is_proven


def test_solutions_are_values_of_cpmpys_variables():
    x = cp.intvar(-1, 2, shape=3, name="x")
    b = cp.boolvar(name="b")
    rare = cp.intvar(5, 6, name="rare")
    model = cp.Model(cp.sum(x) == 2, x[0] < x[1], b == (x[2] > 0), rare >= 5)
    problem = nqbench.constraints(model, name="sums")
    every = {
        tuple(int(model_.values[variable]) for variable in (*x, b, rare))
        for model_ in nqbench.solve_all(problem)
    }
    assert every == {
        (*values, int(values[2] > 0), other)
        for *values, other in product(range(-1, 3), range(-1, 3), range(-1, 3), (5, 6))
        if sum(values) == 2 and values[0] < values[1]
    }
    solution = nqbench.solve(problem)
    assert all(constraint.value() for constraint in model.constraints)
    assert f"x[1] = {x[1].value()}\n" in str(solution)


def test_a_model_that_is_false_has_no_solution():
    assert not nqbench.solve(nqbench.constraints(cp.Model(cp.boolvar(), False)))


def test_the_best_value_is_that_of_rc2():
    formula = WCNFPlus()
    formula.append([1, 2, 3])
    formula.append([[-1, -2, -3], 1], is_atmost=True)
    for clause, weight in (([-1], 3), ([-2, 4], 5), ([-3], 4), ([-4, -2], 2), ([1, -4], 1)):
        formula.append(clause, weight=weight)
    (optimum,) = nqbench.optimum(nqbench.constraints(formula))
    with RC2(formula, solver="minicard") as rc2:  # changes the formula
        rc2.compute()
        assert (optimum.best, optimum.is_proven) == (rc2.cost, True)


def literals_of(problem):
    return {model.literals for model in nqbench.solve_all(problem)}


def every(n, is_solution):
    """The models on n variables, as literals."""
    models = (
        tuple(v if value else -v for v, value in enumerate(values, 1))
        for values in product((False, True), repeat=n)
    )
    return {model for model in models if is_solution({*model})}


def test_formulas_of_pysat_keep_their_integers():
    formula = CNFPlus()
    formula.append([1, -2])
    formula.append([[1, 2, -4], 1], is_atmost=True)
    assert literals_of(nqbench.constraints(formula)) == every(
        4, lambda true: (1 in true or -2 in true) and len(true & {1, 2, -4}) <= 1
    )
    clauses = CNF(from_clauses=[[1, 2], [-1, -2]])
    assert literals_of(nqbench.constraints(clauses)) == {(1, -2), (-1, 2)}


@pytest.mark.parametrize(
    ("comparison", "is_met"),
    [
        (">=", lambda value: value >= 2),
        (">", lambda value: value > 2),
        ("<=", lambda value: value <= 2),
        ("<", lambda value: value < 2),
        ("=", lambda value: value == 2),
    ],
)
def test_lists_of_clauses_and_rows(comparison, is_met):
    problem = nqbench.constraints([[1, -3], ([1, -2, 3], [2, 3, -1], comparison, 2)])
    assert literals_of(problem) == every(
        3,
        lambda true: (
            (1 in true or -3 in true) and is_met(2 * (1 in true) + 3 * (-2 in true) - (3 in true))
        ),
    )


def test_a_file_is_written_and_found_again(tmp_path):
    rows = [[1, 2], ([1, 2, 3], None, "<=", 1)]
    problem = nqbench.constraints(rows, maximize=([1, 3], [2, 1]), output=tmp_path / "rows.opb")
    (formula,) = nqbench.formulas(tmp_path / "rows.opb")
    assert (problem.digest, problem.instance) == (formula.digest, "rows.opb")
    unnamed = nqbench.constraints(rows, maximize=([1, 3], [2, 1]))
    assert unnamed.digest == problem.digest
    assert unnamed.place.exists()


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        ([[0]], {}, "0 is no literal"),
        ([[True]], {}, "True is no literal"),
        ([[2**31]], {}, "2147483648 is no literal"),
        ([3], {}, "3 is no list"),
        (["-1"], {}, "'-1' is no list"),
        ([([1, 2], [1], ">=", 1)], {}, "2 literals and 1 weights"),
        ([([1, 2], [1, 1], "=>", 1)], {}, "'=>' is no comparison"),
        ([([1, 2], ">=", 1)], {}, "has 3 parts"),
        ([([1], [0.5], ">=", 1)], {}, "0.5 is not a whole number"),
        ([[1]], {"minimize": ([1, 2], None)}, "None is no list of weights"),
        ([[1]], {"minimize": (None, [1])}, "None is no list of literals"),
        ([[1]], {"minimize": ([1], 3)}, "3 is no list of weights"),
        ([([1], 3, ">=", 1)], {}, "3 is no list of weights"),
        ([([1], "1", ">=", 1)], {}, "'1' is no list of weights"),
        ([[1]], {"minimize": ([1], [1, 2])}, "1 literals and 2 weights"),
        ([[1]], {"minimize": ([1], [1]), "maximize": ([1], [1])}, "only one of"),
        ([([1, 2, 3], None, "<=", 1)], {"output": "rows.cnf"}, "rows.cnf cannot hold rows"),
        ("model.opb", {}, "nqbench.formulas reads files"),
        (CNF(from_clauses=[[1]]), {"minimize": ([1], [1])}, "has its own objective"),
    ],
)
def test_what_is_no_model_is_refused(model, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        nqbench.constraints(model, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cpmpy_cannot_state_is_refused():
    x = cp.intvar(0, 3, name="x")
    model = cp.Model(cp.DirectConstraint("AddCircuit", [x]))
    with pytest.raises(InputError, match="CPMpy cannot state this model as rows"):
        nqbench.constraints(model)


def test_an_optimum_needs_an_objective():
    with pytest.raises(InputError, match=r"^model has no objective: add minimize="):
        nqbench.optimum(nqbench.constraints([[1]]))
    with pytest.raises(InputError, match="takes a family, or formulas"):
        nqbench.optimum(nqbench.Queens(4))


def test_a_model_without_constraints_and_an_option_of_the_command_are_explained():
    x = cp.boolvar(3)
    for model in (cp.Model(sum(x) >= 1, minimize=sum(x)), CNF(from_clauses=[[1]])):
        for call in (nqbench.optimum, nqbench.run, nqbench.solve):
            for given in ([model], model) if call is not nqbench.solve else (model,):
                with pytest.raises(InputError, match=r"nqbench.constraints\(model\)") as raised:
                    call(given)
                assert "\n" not in str(raised.value)
    with pytest.raises(TypeError, match=r"write nqbench.problems_of\('latin', '4..8'\)"):
        nqbench.run(range(4, 8), family="latin")


def test_the_file_of_an_optimum_is_a_text_a_path_or_several(tmp_path, monkeypatch):
    (tmp_path / "x.opb").write_text("max: +2 x1 +1 x2 ;\n-1 x1 -1 x2 >= -1 ;\n")
    monkeypatch.chdir(tmp_path)
    for files in ("x.opb", "./x.opb", tmp_path / "x.opb", ["x.opb"], str(tmp_path)):
        assert [each.best for each in nqbench.optimum(files, backend="rc2")] == [2], files
    with pytest.raises(InputError, match="give n, the sizes, or paths of files"):
        nqbench.optimum("queen-domination")


def test_auxiliary_variables_of_pysat_do_not_count_if_others_are_shown():
    from pysat.card import CardEnc

    at_most = CardEnc.atmost([1, 2, 3, 4], 2, encoding=1)
    assert nqbench.count(nqbench.constraints(at_most, shown=range(1, 5))) == 11
    with pytest.warns(UserWarning, match="all 8 variables count, also those that CardEnc"):
        assert nqbench.count(nqbench.constraints(at_most)) == 29
    with warnings.catch_warnings(action="error"):
        nqbench.count(nqbench.constraints(at_most, shown=range(1, 9)))
    with pytest.raises(InputError, match="9 is no variable of the model, which has 8"):
        nqbench.constraints(at_most, shown=[9])


def test_what_pysat_has_not_made_clauses_of_is_refused_in_one_line():
    from pysat.formula import And, Atom

    with pytest.raises(
        InputError, match=r"And of PySAT has no clauses yet: give pysat.formula.CNF"
    ):
        nqbench.constraints(And(Atom("a"), Atom("b")))
