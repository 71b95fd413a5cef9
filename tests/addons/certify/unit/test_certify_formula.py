"""Formulas that somebody wrote, right ones and wrong ones, judged by the rules of their problem."""

import itertools
import random

import numpy as np
import pytest
from pysat import formula as pysat

import nqbench
from nqbench.clauses import dimacs
from nqbench.common.errors import InputError

pytestmark = pytest.mark.usefixtures("called_directly")

N = 6
SQUARES = list(itertools.product(range(N), repeat=2))
LINES = {
    "row": lambda r, _: r,
    "column": lambda _, c: c,
    "falling": lambda r, c: r - c,
    "rising": lambda r, c: r + c,
}
SOLUTION = [(0, 1), (1, 3), (2, 5), (3, 0), (4, 2), (5, 4)]


def row_by_row(row, column):
    return row * N + column + 1


def written(lines=LINES, variable=row_by_row, more=(), missing=0):
    """A formula as a student's program writes it."""
    clauses = [[variable(r, c) for c in range(N)] for r in range(N)]
    clauses += [[variable(r, c) for r in range(N)] for c in range(N)]
    for one, other in itertools.combinations(SQUARES, 2):
        if any(LINES[line](*one) == LINES[line](*other) for line in lines):
            clauses.append([-variable(*one), -variable(*other)])
    clauses += more
    largest = max(abs(literal) for clause in clauses for literal in clause)
    rows = [f"p cnf {largest} {len(clauses) - missing}", *(f"{str(c)[1:-1]}, 0" for c in clauses)]
    return "\n".join(rows).replace(",", "").encode()


def around_the_edge():
    return [
        [-row_by_row(*one), -row_by_row(*other)]
        for one, other in itertools.combinations(SQUARES, 2)
        if (one[0] - one[1] - other[0] + other[1]) % N == 0
    ]


def auxiliaries_first():
    formula = nqbench.encode(N, "ladder")
    first = formula.num_variables - N * N
    names = np.r_[0, np.arange(first + 1, first + N * N + 1), np.arange(1, first + 1)]
    blocks = [np.sign(block) * names[np.abs(block)] for block in formula.blocks]
    clauses = [" ".join(map(str, clause)) for block in blocks for clause in block.tolist()]
    lines = [f"p cnf {formula.num_variables} {len(clauses)}", *(f"{c} 0" for c in clauses)]
    return "\n".join(lines).encode()


FIRST = nqbench.encode(N, "ladder").num_variables - N * N + 1
SHUFFLED = random.Random(1).sample(range(1, N * N + 1), N * N)
ONLY_ONE = [[row_by_row(*square)] for square in SOLUTION]


@pytest.mark.parametrize(
    ("content", "result", "why"),
    [
        (written(), "certified", ""),
        (written(missing=1), "certified", ""),
        (written(variable=lambda r, c: row_by_row(c, r)), "certified", ""),
        (written(["row", "column", "falling"]), "refuted", "share a rising diagonal"),
        (written(["falling", "rising"]), "refuted", "share a "),
        (written(more=around_the_edge()), "refuted", "; 0 of 4 solutions remain"),
        (written(more=[[-row_by_row(*SOLUTION[0])]]), "refuted", "by the clause -2 0; 3 of 4"),
        (written(more=ONLY_ONE), "refuted", "1 of 4 solutions remain"),
        (b"p cnf 36 0\n", "refuted", "queens on (0, 0) and (0, 1) share a row"),
        (b"p cnf 36 1\n0\n", "refuted", "forbids a solution; 0 of 4 solutions remain"),
        (b"c nqbench options 2147483647 2..36\n" + written(), "refuted", ""),
    ],
    ids=["right", "header", "transposed", "diagonal", "lines", "torus", "strict", "one solution",
         "empty", "contradiction", "wrong map"],
)  # fmt: skip
def test_a_formula_is_judged(content, result, why):
    verdict = nqbench.certify_formula(content, N)
    assert (verdict.result, bool(verdict.drawing)) == (result, result == "refuted")
    assert why in " ".join(verdict.messages.values())


@pytest.mark.parametrize("kind", [list, tuple, pysat.CNF])
def test_clauses_are_judged_as_a_file_of_them_is(kind):
    clauses = [[*map(int, line.split()[:-1])] for line in written().decode().splitlines()[1:]]
    of_kind = pysat.CNF(from_clauses=clauses) if kind is pysat.CNF else kind(clauses)
    assert nqbench.certify_formula(of_kind, N).result == "certified"
    assert nqbench.certify_formula([[1, 2]], N).result == "refuted"
    with pytest.raises(InputError, match="3 is no model: give"):
        nqbench.certify_formula(3, N)


@pytest.mark.parametrize(
    ("content", "how", "line"),
    [
        (
            auxiliaries_first(),
            f"{FIRST} to {FIRST + 35}",
            f"c nqbench options {FIRST}..{FIRST + 35}",
        ),
        (written(variable=lambda r, c: 10 * r + c + 11), "10 * row + column + 11", "11..16 21..26"),
        (written(variable=lambda r, c: SHUFFLED[r * N + c]), "those below", "c nqbench options "),
    ],
    ids=["auxiliaries", "decimal", "shuffled"],
)
def test_another_map_is_a_hint(content, how, line):
    verdict = nqbench.certify_formula(content, N)
    assert verdict.result == "refuted"
    assert how in verdict.hint
    assert line in verdict.hint_lines[0]
    told = "\n".join([*verdict.hint_lines, "c nqbench problem queens n=6", ""]).encode()
    assert nqbench.certify_formula(told + content).result == "certified"


def test_which_solutions_have_to_remain():
    left_half = written(more=[[-row_by_row(0, c)] for c in range(N // 2, N)])
    lost = nqbench.certify_formula(left_half, N)
    assert (lost.result, lost.kept, lost.solutions) == ("refuted", 2, 4)
    assert "keep symmetric" in lost.hint
    assert nqbench.certify_formula(left_half, N, keep="symmetric").result == "certified"
    seven = "p cnf 49 3\n" + "".join(f"{v} 0\n" for v in (1, 10, 19))
    assert nqbench.certify_formula(seven.encode(), 7, keep="one").result == "refuted"
    with pytest.raises(InputError, match="keep"):
        nqbench.certify_formula(left_half, N, keep="two")


def test_many_solutions_are_shown_by_a_proof():
    right = nqbench.encode(12, "ladder")
    assert nqbench.certify_formula(right, 12).result == "certified"
    wrong = right.with_clauses(np.array([[-1, -15]], np.int32))
    assert "by the clause -1 -15 0" in nqbench.certify_formula(wrong, 12).messages["every solution"]


@pytest.mark.parametrize("seed", range(6))
def test_mutants_are_judged_as_by_trying_all_boards(seed):
    """All 65,536 choices of squares of the board with four rows."""
    source = random.Random(seed)
    clauses = list(nqbench.encode(4, "pairwise").clauses())
    for _ in range(source.randint(1, 2)):
        clauses.pop(source.randrange(len(clauses)))
    if seed % 2:
        clauses.append([source.choice([-1, 1]) * source.randint(1, 16) for _ in range(2)])
    values = (np.arange(1 << 16)[:, np.newaxis] >> np.arange(16)) & 1 == 1
    is_model = np.ones(1 << 16, np.bool_)
    for clause in clauses:
        is_model &= np.any([values[:, abs(v) - 1] == (v > 0) for v in clause], axis=0)
    boards = {frozenset(np.flatnonzero(row).tolist()) for row in values[is_model]}
    solutions = {frozenset({1, 7, 8, 14}), frozenset({2, 4, 11, 13})}
    text = dimacs.text(nqbench.encode(4, "pairwise")).splitlines()[0]
    lines = "\n".join(" ".join(map(str, [*clause, 0])) for clause in clauses)
    verdict = nqbench.certify_formula(f"{text}\n{lines}\n".encode(), 4)
    assert verdict.result == ("certified" if boards == solutions else "refuted")
    if verdict.only_solutions.witness is not None:
        assert {4 * r + c for r, c in verdict.only_solutions.witness} in boards - solutions
    if verdict.every_solution.witness is not None:
        assert {4 * r + c for r, c in verdict.every_solution.witness} in solutions - boards
