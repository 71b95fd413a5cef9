"""Formulas that somebody wrote, judged by the rows of a file, with brute force as the truth."""

import itertools
import random

import pytest
from pysat.card import CardEnc, EncType
from row_proofs import holds

import nqbench
from nqbench.checking.constraint_file import read_rows
from nqbench.checking.normal_rows import normal_rows
from nqbench.common.errors import InputError

pytestmark = pytest.mark.usefixtures("called_directly")

ENCODINGS = ["seqcounter", "sortnetwrk", "cardnetwrk", "totalizer", "mtotalizer", "kmtotalizer"]
TWO = "-1 x1 -1 x2 -1 x3 -1 x4 >= -2 ;\n1 x5 1 x6 1 x7 1 x8 >= 2 ;\n"


def written(clauses):
    largest = max((abs(literal) for clause in clauses for literal in clause), default=0)
    lines = [f"p cnf {largest} {len(clauses)}", *(" ".join(map(str, [*c, 0])) for c in clauses)]
    return "\n".join(lines).encode() + b"\n"


def by_library(rows, top, encoding, *, shared=False):
    """The clauses of PySAT for rows, given as `at least` or not, literals and bound. If `shared`,
    each row counts its auxiliary variables from the same number.
    """
    clauses, last = [], top
    for is_least, literals, bound in rows:
        state = CardEnc.atleast if is_least else CardEnc.atmost
        made = state(literals, bound, top_id=last, encoding=getattr(EncType, encoding))
        clauses += made.clauses
        last = last if shared else max(last, made.nv)
    return clauses


def verdict_of(clauses, opb, tmp_path):
    path = tmp_path / "rows.opb"
    path.write_text(opb)
    return nqbench.certify_formula(written(clauses), rows=path, time_limit=60)


def truth(clauses, opb, variables):
    """The choices that rows allow, and those that a formula does."""
    from pysat.solvers import Solver

    rows = normal_rows(read_rows(opb.encode().splitlines())).rows
    every = list(itertools.product((False, True), repeat=variables))
    allowed = {values for values in every if all(holds(row, values) for row in rows)}
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        literals = [[v if x else -v for v, x in enumerate(values, 1)] for values in every]
        extended = {v for v, fixed in zip(every, literals, strict=True) if solver.solve(fixed)}
    return allowed, extended


def agrees(verdict, allowed, extended):
    """Whether a verdict is that of brute force, and its witness one of these choices."""
    if extended == allowed:
        return verdict.result == "certified" and verdict.witness is None
    witness = tuple(literal > 0 for (literal,) in verdict.witness)
    return verdict.result == "refuted" and witness in allowed ^ extended


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_rows_by_a_library_are_certified(encoding, tmp_path):
    clauses = by_library([(False, [1, 2, 3, 4], 2), (True, [5, 6, 7, 8], 2)], 8, encoding)
    verdict = verdict_of(clauses, TWO, tmp_path)
    assert verdict.result == "certified"
    assert not verdict.hint
    assert "the first 8 variables being its own" in verdict.relied_on


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_auxiliary_variable_that_two_rows_share_is_named(encoding, tmp_path):
    rows = [(False, [1, 2, 3, 4], 2), (True, [5, 6, 7, 8], 2)]
    clauses = by_library(rows, 8, encoding, shared=True)
    verdict = verdict_of(clauses, TWO, tmp_path)
    assert agrees(verdict, *truth(clauses, TWO, 8))
    assert verdict.hint.endswith(
        " is shared by the rows of lines 1 and 2: number those of each row anew"
    )
    shared = int(verdict.hint.split()[3])
    of_rows = [by_library([row], 8, encoding) for row in rows]
    assert all(any(shared in map(abs, c) for c in each) for each in of_rows)
    assert verdict.drawing.startswith("v ")


SAME = {
    "between": [(False, [1, 2, 3, 4], 3), (True, [1, 2, 3, 4], 2)],
    "within": [(False, [1, 2, 3, 4, 5], 2), (True, [1, 2, 3, 4], 2)],
    "negated": [(True, [-1, -2, -3, -4], 2), (True, [1, 2, -3, 4], 2)],
}


@pytest.mark.parametrize("case", SAME)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_one_that_rows_with_the_same_variables_share_is_named(encoding, case, tmp_path):
    """Only if its own number in one of them makes the formula right."""
    rows = SAME[case]
    lines = []
    for is_least, literals, bound in rows:
        terms = " ".join(f"1 {'~' * (x < 0)}x{abs(x)}" for x in literals)
        lines.append(f"{terms} {'>=' if is_least else '<='} {bound} ;")
    opb = "\n".join(lines) + "\n"
    n = max(abs(x) for _, literals, _ in rows for x in literals)
    right = verdict_of(by_library(rows, n, encoding), opb, tmp_path)
    assert (right.result, right.hint) == ("certified", "")
    clauses = by_library(rows, n, encoding, shared=True)
    allowed, extended = truth(clauses, opb, n)
    verdict = verdict_of(clauses, opb, tmp_path)
    assert agrees(verdict, allowed, extended)
    if allowed - extended and not extended - allowed:
        assert verdict.hint.endswith(
            " is shared by the rows of lines 1 and 2: number those of each row anew"
        )
        shared = int(verdict.hint.split()[3])
        assert all(
            any(shared in map(abs, clause) for clause in by_library([row], n, encoding))
            for row in rows
        )


def test_a_formula_that_is_wrong_otherwise_names_none(tmp_path):
    """A clause too many forbids a choice, whatever the numbers of variables."""
    rows = SAME["between"]
    opb = "1 x1 1 x2 1 x3 1 x4 <= 3 ;\n1 x1 1 x2 1 x3 1 x4 >= 2 ;\n"
    clauses = [*by_library(rows, 4, "totalizer"), [1, 2]]
    verdict = verdict_of(clauses, opb, tmp_path)
    assert (verdict.result, verdict.hint) == ("refuted", "")


def test_formulas_are_judged_as_brute_force_does(tmp_path):
    """Right ones, and ones with a clause too many, too few, or another literal."""
    draw = random.Random(4)
    results = []
    for _ in range(25):
        n = draw.randint(3, 5)
        rows, lines = [], []
        for _ in range(draw.randint(1, 3)):
            literals = [
                draw.choice([v, -v]) for v in draw.sample(range(1, n + 1), draw.randint(2, n))
            ]
            bound, is_least = draw.randint(1, len(literals) - 1), draw.random() < 0.5
            rows.append((is_least, literals, bound))
            terms = " ".join(f"1 {'~' * (x < 0)}x{abs(x)}" for x in literals)
            lines.append(f"{terms} {'>=' if is_least else '<='} {bound} ;")
        opb = f"* #variable= {n} #constraint= {len(lines)}\n" + "\n".join(lines) + "\n"
        clauses = by_library(rows, n, draw.choice(ENCODINGS), shared=draw.random() < 0.3)
        edit = draw.randrange(4)
        at = draw.randrange(len(clauses))
        if edit == 1:
            del clauses[at]
        elif edit == 2:
            clauses[at] = [-clauses[at][0], *clauses[at][1:]]
        elif edit == 3:
            clauses.append([draw.choice([v, -v]) for v in draw.sample(range(1, n + 1), 2)])
        verdict = verdict_of(clauses, opb, tmp_path)
        assert agrees(verdict, *truth(clauses, opb, n)), (clauses, opb, verdict.messages)
        results.append(verdict.result)
    assert {"certified", "refuted"} == set(results)


def test_weights_and_equations_are_compared(tmp_path):
    opb = "3 x1 2 x2 2 x3 = 4 ;\nmin: 1 x1 ;\n"
    right = [[-1], [2], [3]]
    assert verdict_of(right, opb, tmp_path).result == "certified"
    verdict = verdict_of([[-1], [2]], opb, tmp_path)
    broken = "the model breaks line 1: it has 2, not exactly 4"
    assert verdict.messages == {"only solutions": f"allows a wrong solution: {broken}"}
    assert verdict.witness == ((-1,), (2,), (-3,))
    assert verdict.notes == ("the objective of rows.opb is not compared with clauses",)


def test_what_is_not_compared_is_refused(tmp_path):
    with pytest.raises(InputError, match="products and soft rows are not compared"):
        verdict_of([[1]], "1 x1 x2 >= 1 ;\n", tmp_path)
    (tmp_path / "rows.opb").write_text(TWO)
    with pytest.raises(InputError, match="in place of a problem"):
        nqbench.certify_formula(written([[1]]), 4, rows=tmp_path / "rows.opb")
    (tmp_path / "no.cnf").write_bytes(written([[1]]))
    with pytest.raises(InputError, match="rows are a file such as OPB or KNF"):
        nqbench.certify_formula(written([[1]]), rows=tmp_path / "no.cnf")


def test_the_command_compares_files_with_the_one_that_has_rows(nqbench_in, tmp_path):
    (tmp_path / "rows.opb").write_text("1 x1 1 x2 >= 1 ;\n-1 x1 -1 x2 >= -1 ;\n")
    (tmp_path / "right.cnf").write_bytes(written([[1, 2], [-1, -2]]))
    (tmp_path / "wrong.cnf").write_bytes(written([[1, 2]]))
    call = nqbench_in(tmp_path)
    right = call("certify", "right.cnf", "--cnf", "rows.opb")
    assert right.returncode == 0, right.stderr
    assert "certified" in right.stdout
    wrong = call("certify", "wrong.cnf", "--cnf", "rows.opb")
    assert wrong.returncode == 1
    assert "v x1 x2" in wrong.stdout
