"""Rows with weights, and objectives: read, refused, encoded, judged and optimised."""

import random
import re

import numpy as np
import pytest
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF as PySATFormula
from pysat.solvers import Solver
from stated_sums import as_opb, as_text, choices, is_true, meets, total

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign.execution import Execution
from nqbench.campaign.job import Job
from nqbench.campaign.optimum import State, file_optima
from nqbench.checking.constraint_file import read_rows
from nqbench.checking.weighted_clauses import diagram_clauses
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.constraints import Constraints
from nqbench.clauses.rows import LARGEST_SUM, Objective, RowForm, simplest
from nqbench.common.errors import InputError, TooManyClausesError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Answer, KOrder, ShownBy, Task, Verdict
from nqbench.encodings import counting, decision_diagram
from nqbench.encodings.adder import Adder
from nqbench.encodings.base import Encoding
from nqbench.measure.cache import InstanceCache
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge
from nqbench.problems.families.cnf import Formula

pytestmark = pytest.mark.usefixtures("called_directly")

WEIGHING = ["adder", "decision-diagram", "generalized-totalizer", "watchdog"]
OF_PINDAKAAS = [
    f"pindakaas:{scheme}"
    for scheme in Encoding.named("pindakaas").parameters["scheme"].choices
    if Encoding.named(f"pindakaas:{scheme}").states_weights
]
BIG = 2**53
LIMITS = Limits(time_s=60.0)
ROW = ([(3, 1), (2, 2), (2, 3)], ">=", 4)


def random_terms(rng, n, largest):
    return [
        (rng.choice([-1, 1]) * rng.randint(1, largest), x * rng.choice([-1, 1]))
        for x in rng.sample(range(1, n + 1), rng.randint(1, n))
    ]


def random_rows(rng, n, largest=20):
    rows = []
    for _ in range(rng.randint(1, 3)):
        terms = random_terms(rng, n, largest)
        sums = [total(terms, values) for values in choices(n)]
        rows.append((terms, rng.choice([">=", "=", ">="]), rng.choice(sums) + rng.randint(-1, 1)))
    return rows


def formula_at(folder, name, text):
    path = folder / name
    path.write_text(text)
    return Formula.at(path, name)


def allowed(cnf, n):
    """The choices of the first n variables that extend to a model."""
    clauses = [clause for block in cnf.blocks for clause in block.tolist()]
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        return [
            values
            for values in choices(n)
            if solver.solve([x if value else -x for x, value in enumerate(values, start=1)])
        ]


@pytest.mark.parametrize("scheme", [*WEIGHING, *OF_PINDAKAAS])
def test_schemes_allow_what_the_sums_do(scheme, tmp_path):
    rng = random.Random(65)
    problem = formula_at(tmp_path, "a.opb", as_opb(3, [ROW]))
    for _ in range(60):
        n = rng.randint(2, 7)
        rows = random_rows(rng, n)
        formula = constraint_files.read(as_opb(n, rows).encode(), "a")
        # Rows whose weights came to 1 may be clauses, which need no scheme.
        if not isinstance(formula, Constraints):
            continue
        formula.check()
        cnf = Encoding.named(scheme).encode_constraints(problem, formula)
        cnf.check()
        assert allowed(cnf, n) == [v for v in choices(n) if meets(rows, v)], rows


def forms(rng, count):
    while count:
        n = rng.randint(2, 8)
        weights = [rng.choice([1, 2, 3, rng.randint(1, 40), BIG // 16]) for _ in range(n)]
        _, _, form = simplest(range(1, n + 1), weights, rng.randint(1, sum(weights)))
        if form.least > 0 and not form.is_counted:
            count -= 1
            yield form


@pytest.mark.parametrize("scheme", WEIGHING)
def test_sizes_are_known_before_anything_is_encoded(scheme):
    encoding = Encoding.named(scheme)
    beyond_64_bits = RowForm((2**70, 2**70 - 1, 3, 1), 2**70 + 2)
    for form in [*forms(random.Random(1), 30), beyond_64_bits]:
        template = encoding.weighing(form)
        assert template.num_clauses == encoding.num_clauses(form, 10**9), form
        met = [
            values
            for values in choices(len(form.weights))
            if sum(w for w, value in zip(form.weights, values, strict=True) if value) >= form.least
        ]
        assert allowed(template, len(form.weights)) == met


@pytest.mark.parametrize("scheme", WEIGHING)
def test_many_rows_at_once_are_stated_as_one_by_one(scheme, monkeypatch):
    """Rows of several lengths, one of them too large to share its arrays with others."""
    monkeypatch.setattr(decision_diagram, "_LARGEST_KEY", 1 << 50)
    rng = random.Random(4)
    large = [RowForm((most, most - 1, 2, 1), most + 2) for most in (BIG, 2**62, 2**64)]
    rows = [*forms(rng, 40), *large, *forms(rng, 40)]
    encoding = Encoding.named(scheme)
    together, alone = CNFBuilder(8), CNFBuilder(8)
    x = np.array([3, -1, 8, 2, -5, 7, -4, 6], np.int32)
    encoding.weigh_rows(together, [(form, x[: len(form.weights)]) for form in rows])
    for form in rows:
        encoding.weigh(alone, x[: len(form.weights)], form)
    assert together.num_variables == alone.num_variables
    assert sorted(together.build().clauses()) == sorted(alone.build().clauses())


def test_what_is_left_of_a_row_promises_what_schemes_may_rely_on():
    rng = random.Random(2)
    for _ in range(150):
        n = rng.randint(1, 7)
        weights, least = [rng.randint(1, 20) for _ in range(n)], rng.randint(-1, 60)
        forced, left, form = simplest(range(1, n + 1), weights, least)
        for values in choices(n):
            meets_row = total(zip(weights, range(1, n + 1), strict=True), values) >= least
            rest = sum(w for w, x in zip(form.weights, left, strict=True) if values[x - 1])
            assert meets_row == (all(values[x - 1] for x in forced) and rest >= form.least)
        if 0 < form.least <= sum(form.weights):
            assert list(form.weights) == sorted(form.weights, reverse=True)
            assert form.weights[0] <= min(form.least, sum(form.weights) - form.least)
            assert np.gcd.reduce(form.weights) == 1


def test_a_diagram_that_grows_too_large_is_refused_with_its_number():
    weights = tuple(sorted(random.Random(1).sample(range(10**8, 10**9), 40), reverse=True))
    with pytest.raises(TooManyClausesError, match="more than 200000 nodes"):
        diagram_clauses(weights, sum(weights) // 2, sum(weights))


HEADER = "* #variable= 4 #constraint= 1\n"
NEW = "c x\nh 1 2 0\n"
OLD = "c x\np wcnf 3 2 10\n10 1 2 0\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEADER + f"+{'9' * 5000} x1 +1 x2 >= 2 ;\n", 2, "a number has more than 4000 digits"),
        (HEADER + "min: +1 x1 +2 x2\n+1 x1 >= 1 ;\n", 3, ">= in an objective: end it with ;"),
        (HEADER + "* c\nmin: +1.5 x1 ;\n+1 x1 >= 1 ;\n", 3, "1.5 is not a whole number"),
        (HEADER + "min: +1 x1 ;\nmin: +1 x1 ;\n+1 x1 >= 1 ;\n", 3, "a second objective"),
        (HEADER + "min: +1 x1 ;\n\n+3 x1 +2 x2 >= 1\n", 4, "the last row does not end with ;"),
        (HEADER + "min:", 2, "the last row does not end with ;"),
        (HEADER + "max: \n\n", 2, "the last row does not end with ;"),
        (HEADER + "soft: 6 ;\nmin: +1 x1 ;\n", 1, "soft rows and an objective"),
        (NEW + "3 1 2\n", 3, "the last clause does not end with 0"),
        (NEW + "0 1 2 0\n", 3, "has a clause of weight 0"),
        (NEW + "-3 1 2 0\n", 3, "the weight -3 is negative"),
        (NEW + "1.5 1 2 0\n", 3, "1.5 is not a whole number"),
        (NEW + "3 1 h 2 0\n", 3, "h in the middle of a clause"),
        (NEW + "h1 2 0\n", 3, "write 'h LITERALS 0'"),
        (NEW + "p wcnf 3 2 10\n", 3, "a second header"),
        ("p wcnf 3\n1 1 0\n", 1, "expected 'p wcnf VARIABLES CLAUSES TOP'"),
        ("c\np wcnf 3 1 0\n1 1 0\n", 2, "a top of 0 does not say which clauses are hard"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused_with_the_line(text, line, words):
    with pytest.raises(InputError, match=f"^a, line {line}: .*{re.escape(words)}"):
        constraint_files.read(text.encode(), "a")


def test_the_largest_weights_are_exact():
    text = HEADER + f"min: +{BIG - 1} x1 -1 x2 ;\n+{BIG - 1} x1 +1 x2 = {BIG} ;\n"
    formula = constraint_files.read(text.encode(), "a")
    assert [clause for block in formula.cnf.blocks for clause in block.tolist()] == [[1], [2]]
    model = np.array([True, True, False, False])
    file = read_rows(text.encode().splitlines())
    assert formula.objective.value(model) == file.value(model) == BIG - 2
    assert Objective.of([1, 2], [LARGEST_SUM - 1, 1]).weights.dtype == np.int64
    assert Objective.of([1, 2], [LARGEST_SUM, 1]).total == LARGEST_SUM + 1


def soft_value(soft, values):
    return sum(w for w, clause in soft if not any(is_true(x, values) for x in clause))


def random_soft(rng, n):
    """Hard clauses, and soft ones with their weights."""

    def clause():
        return [x * rng.choice([-1, 1]) for x in rng.sample(range(1, n + 1), rng.randint(1, n))]

    hard = [clause() for _ in range(rng.randint(0, 4))]
    return hard, [(rng.randint(1, 9), clause()) for _ in range(rng.randint(1, 6))]


def as_wcnf(n, hard, soft, *, is_old):
    top, lines = sum(w for w, _ in soft) + 1, []
    for mark, clause in [*((top if is_old else "h", c) for c in hard), *soft]:
        lines.append(" ".join(map(str, (mark, *clause, 0))))
    header = [f"p wcnf {n} {len(lines)} {top}"] if is_old else []
    return "\n".join([*header, *lines, ""])


def files_of_wcnf(seed, count=30):
    """In both forms of WCNF: the number of variables, the hard and the soft clauses, the text, and
    what is read of it.
    """
    rng = random.Random(seed)
    for number in range(count):
        n = rng.randint(2, 5)
        hard, soft = random_soft(rng, n)
        text = as_wcnf(n, hard, soft, is_old=number % 2 == 0)
        if hard or number % 2 == 0:  # else nothing says that this is WCNF
            yield n, hard, soft, text, constraint_files.read(text.encode(), "a")


def test_soft_clauses_are_an_objective_as_pysat_reads_them():
    for n, hard, soft, text, formula in files_of_wcnf(5):
        file = read_rows(text.encode().splitlines())
        models = [v for v in choices(n) if all(any(is_true(x, v) for x in c) for c in hard)]
        for values in choices(n):
            judged = file.broken_by(np.array(values[: file.num_variables])) is None
            assert judged == (values in models)
            assert file.value(np.array(values)) == soft_value(soft, values)
        assert isinstance(formula, Constraints)
        least = min(
            (formula.objective.value(np.array(values))
             for values in choices(formula.num_variables)
             if formula.broken_by(np.array(values)) is None),
            default=None,
        )  # fmt: skip
        with RC2(PySATFormula(from_string=text)) as rc2:
            theirs = rc2.cost if rc2.compute() is not None else None
        expected = min((soft_value(soft, values) for values in models), default=None)
        assert least == theirs == expected


def test_objectives_are_written_and_read_again():
    rng = random.Random(7)
    for _ in range(40):
        n = rng.randint(2, 5)
        keyword, terms = rng.choice(["min", "max"]), random_terms(rng, n, 9)
        text = as_opb(n, random_rows(rng, n), f"{keyword}: {as_text(terms)} ;")
        formula = constraint_files.read(text.encode(), "a")
        written = constraint_files.text(formula, ".opb")
        (constant,) = re.findall(r"to be added to the objective: (-?\d+)", written) or ["0"]
        again = constraint_files.read(written.encode(), "a")
        for values in map(np.array, choices(n)):
            assert formula.objective.stated(formula.objective.value(values)) == total(terms, values)
            value = again.objective.stated(again.objective.value(values))
            assert value + int(constant) == total(terms, values)
            assert (again.broken_by(values) is None) == (formula.broken_by(values) is None)
        packed = memoryview(b"".join(formula.pack()))
        assert Constraints.unpack(packed).digest() == formula.digest()


def test_formats_without_weights_refuse_them(tmp_path):
    formula = constraint_files.read(HEADER.encode() + b"+2 x1 +1 x2 +1 x3 >= 2 ;\n", "a")
    for suffix in (".knf", ".cnf+"):
        with pytest.raises(InputError, match=r"rows with weights need OPB"):
            constraint_files.write_file(formula, tmp_path / f"a{suffix}")
    text = HEADER + "min: +2 x1 ;\n+1 x1 +1 x2 +1 x3 >= 2 ;\n"
    with pytest.raises(InputError, match="cannot hold an objective: write OPB or WCNF"):
        constraint_files.write_file(constraint_files.read(text.encode(), "a"), tmp_path / "a.knf")


def test_what_takes_no_weights_says_what_does(tmp_path):
    problem = formula_at(tmp_path, "a.opb", as_opb(3, [ROW]))
    assert len(OF_PINDAKAAS) == 7
    for name in ("totalizer", "ladder", "product", "pindakaas:pairwise"):
        assert "use adder" in Encoding.named(name).why_not(problem)
        with pytest.raises(InputError, match="use adder"):
            nqbench.run([problem], encodings=[name], backends=["cadical195"])
    assert problem.default_encoding == "adder"
    with pytest.raises(InputError, match="states no weights: use adder"):
        Encoding.named("totalizer").encode(problem)


def test_too_many_clauses_are_refused_with_their_number_first(tmp_path, monkeypatch):
    problem = formula_at(tmp_path, "a.opb", as_opb(3, [ROW]))
    monkeypatch.setattr(counting, "MOST_CLAUSES", 5)
    monkeypatch.setattr(Adder, "weigh_rows", lambda *_: pytest.fail("it was encoded"))
    with pytest.raises(InputError, match=r"'adder' has \d+ clauses or more"):
        Encoding.named("adder").encode(problem)


def test_a_scheme_that_is_too_strict_is_refuted(tmp_path, monkeypatch):
    """An adder that asks for a sum of one more."""
    honest = Adder.weigh_rows

    def weigh_rows(self, cnf, rows):
        honest(self, cnf, [(RowForm(form.weights, form.least + 1), x) for form, x in rows])

    monkeypatch.setattr(Adder, "weigh_rows", weigh_rows)
    problem = formula_at(tmp_path, "a.opb", as_opb(3, [(ROW[0], "=", 4)]))
    solver, scheme = Backend.named("cadical195"), Encoding.named("adder")
    encoded = InstanceCache(0).get(problem, scheme, LIMITS)
    assert solver.load(encoded.instance).solve() is Answer.UNSAT
    run = LoadedRun.named(problem, scheme.name, solver.name, Task.FIRST, LIMITS)
    check = RunJudge().check_unsat(run)
    assert (check.verdict, check.message) == (Verdict.REFUTED, "'unsat', but a.opb has a model")


@pytest.fixture
def job(tmp_path):
    def tell(_):
        pass

    return Job(runs=(), execution=Execution.usual(pin=False), folder=tmp_path / "r", tell=tell)


@pytest.mark.parametrize("order", [KOrder.LINEAR, KOrder.BINARY])
def test_optima_are_those_of_all_choices(order, job, tmp_path):
    rng = random.Random(11)
    n, (hard, soft) = 5, random_soft(rng, 5)
    hard = hard or [[1, 2]]
    rows = [([(4, 1), (3, 2), (2, 3), (5, 4), (1, 5)], ">=", 6), ([(1, 1), (1, 4)], "=", 1)]
    terms = [(7, 1), (-2, 2), (5, 3), (6, -4), (3, 5)]
    problems = [
        formula_at(tmp_path, "min.opb", as_opb(n, rows, f"min: {as_text(terms)} ;")),
        formula_at(tmp_path, "max.opb", as_opb(n, rows, f"max: {as_text(terms)} ;")),
        formula_at(tmp_path, "soft.wcnf", as_wcnf(n, hard, soft, is_old=False)),
    ]
    if order is KOrder.BINARY:
        del problems[1:]
    values = [total(terms, v) for v in choices(n) if meets(rows, v)]
    models = [v for v in choices(n) if all(any(is_true(x, v) for x in c) for c in hard)]
    expected = [min(values), max(values), min(soft_value(soft, v) for v in models)]
    how = {"encoding": None, "backend": "cadical195", "limits": LIMITS, "order": order}
    found = list(file_optima(problems, job, **how))
    assert [each.best for each in found] == expected[: len(problems)]
    assert {each.state for each in found} == {State.OPTIMAL}
    assert all(each.best_shown_by is ShownBy.RULES for each in found)


def costs_in_pysat(formula, n):
    """The cost of each choice, None of those that break a hard clause."""
    soft = list(zip(formula.wght, formula.soft, strict=True))
    return [
        soft_value(soft, values)
        if all(any(is_true(x, values) for x in clause) for clause in formula.hard)
        else None
        for values in choices(n)
    ]


def test_soft_clauses_are_written_as_pysat_reads_them(tmp_path):
    """Without the new variables that they have while they are an objective."""
    for n, _, _, text, formula in files_of_wcnf(11):
        constraint_files.write_file(formula, tmp_path / "b.wcnf")
        written = (tmp_path / "b.wcnf").read_text()
        (constant,) = re.findall(r"to be added to the costs: (-?\d+)", written) or ["0"]
        theirs = PySATFormula(from_string=written)
        assert theirs.nv <= n
        assert costs_in_pysat(PySATFormula(from_string=text), n) == [
            None if cost is None else cost + int(constant) for cost in costs_in_pysat(theirs, n)
        ]
        again = constraint_files.read(written.encode(), "b")
        assert again.num_variables == formula.num_variables
        nothing = np.zeros(again.num_variables, np.bool_)
        value = again.objective.value(nothing) + int(constant)
        assert value == formula.objective.value(nothing)


def test_rows_are_encoded_before_they_are_written_as_wcnf(tmp_path):
    rng = random.Random(12)
    for keyword in ("min", "max"):
        n = 5
        row, terms = random_terms(rng, n, 6), random_terms(rng, n, 9)
        rows = [(row, ">=", sorted(total(row, v) for v in choices(n))[20])]
        problem = formula_at(tmp_path, "a.opb", as_opb(n, rows, f"{keyword}: {as_text(terms)} ;"))
        nqbench.encode(problem, "adder", output=tmp_path / "a.wcnf")
        with RC2(PySATFormula(from_file=str(tmp_path / "a.wcnf"))) as rc2:
            rc2.compute()
            cost = rc2.cost
        text = (tmp_path / "a.wcnf").read_text()
        (constant,) = re.findall(r"to be added to the costs: (-?\d+)", text) or ["0"]
        values = [total(terms, v) for v in choices(n) if meets(rows, v)]
        best = min(values) if keyword == "min" else -max(values)
        assert cost + int(constant) == best
    problem = formula_at(tmp_path, "b.opb", as_opb(3, [ROW]))
    with pytest.raises(InputError, match=r"WCNF has clauses only.* encode these with .*adder"):
        nqbench.encode(problem, "native", output=tmp_path / "b.wcnf")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("4 -1 3 0\n1 -2 0\n3 1 2 0\n", ""),  # 4 is not more than 3 + 1
        ("1 -1 3 0\n1 -2 0\n", ""),  # MaxSAT without weights
        ("c\n4 -1 3 0\n8 1 2 0\n1 -2 0\n", "no clause is marked with h, so those of weight 8 are"),
    ],
)
def test_wcnf_without_header_and_hard_clauses(text, note, tmp_path):
    """All clauses are soft, as PySAT reads them too. If one could be hard, a note says so."""
    _, found = constraint_files.read_noting(text.encode(), "a.wcnf")
    assert found.startswith(note)
    assert bool(found) == bool(note)
    formula = constraint_files.read(text.encode(), "a.wcnf")
    (tmp_path / "a.wcnf").write_text(text)
    theirs = PySATFormula(from_file=str(tmp_path / "a.wcnf"))
    assert not theirs.hard
    least = min(soft_value(list(zip(theirs.wght, theirs.soft, strict=True)), v) for v in choices(3))
    found = [v for v in map(np.array, choices(formula.num_variables)) if not formula.broken_by(v)]
    assert min(map(formula.objective.value, found)) == least
    assert read_rows(text.encode().splitlines()).costs.value([False, False, False]) == sum(
        w for w, c in zip(theirs.wght, theirs.soft, strict=True) if all(x > 0 for x in c)
    )
    with pytest.raises(InputError, match="p cnf"):
        constraint_files.read(text.encode(), "a.cnf")


@pytest.mark.parametrize(("backend", "encoding"), [("rc2", "sequential"), ("cp-sat", "native")])
def test_use_returns_the_best_model_that_a_backend_finds(tmp_path, backend, encoding):
    """The program that `nqbench use` prints asked for any model, here of value 6 instead of 3."""
    path = tmp_path / "soft.wcnf"
    path.write_text("h 1 2 3 0\n5 -1 0\n3 -2 0\n1 -3 0\n4 1 2 0\n")
    used = nqbench.use(path, backend=backend, encoding=encoding)
    true = {literal for literal in used.solution.literals if literal > 0}
    costs = {1: 5, 2: 3, 3: 1}
    value = sum(costs.get(variable, 0) for variable in true) + 4 * (not true & {1, 2})
    assert value == 3
