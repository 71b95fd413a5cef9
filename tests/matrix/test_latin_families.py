"""Latin squares, quasigroups with holes and sudoku, against published counts."""

import random
from itertools import pairwise
from math import factorial

import numpy as np
import pytest
from pysat.solvers import Solver

from nqbench.checking import exhaustive
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.problems.families import quasigroup
from nqbench.problems.families.base import Family, LeftOut
from nqbench.problems.families.latin import LatinSquare
from nqbench.problems.families.sudoku import Sudoku

LATIN_SQUARES = {1: 1, 2: 2, 3: 12, 4: 576}  # OEIS A002860
LATIN_SQUARES_OF_ORDER_5 = 161280
SUDOKUS_OF_ORDER_2 = 288  # OEIS A107739

# The first puzzle of G. Royle's list of sudokus with 17 clues.
ROYLE = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
SOLVED = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"


def of_size(family, n):
    return Family.named(family).of_size(n)


def drawn(family, n, density, seed=0, instances=2):
    return list(Family.named(family).drawn([n], [density], instances, seed))


def parsed(text):
    return Family.named("sudoku").parsed(text, "p.sdk", "p")


def written(problem, solution):
    return "".join(problem.drawing(solution).split())


@pytest.mark.parametrize("n", LATIN_SQUARES)
def test_the_number_of_latin_squares_is_the_published_one(n):
    assert exhaustive.count(of_size("latin", n)) == LATIN_SQUARES[n]


def test_order_5_is_counted_by_squares_with_a_fixed_first_row_and_column():
    border = {(0, k, k) for k in range(5)} | {(k, 0, k) for k in range(5)}
    reduced = LatinSquare(5, "quasigroup", placed=tuple(border))
    # Permuting all columns and then all other rows gives every square once.
    assert exhaustive.count(reduced) * factorial(5) * factorial(4) == LATIN_SQUARES_OF_ORDER_5


def test_the_number_of_sudokus_of_order_2_is_the_published_one():
    assert exhaustive.count(of_size("sudoku", 2)) == SUDOKUS_OF_ORDER_2


@pytest.mark.parametrize(("n", "variables"), [(2, 64), (3, 729), (4, 4096), (5, 15625)])
def test_an_empty_sudoku_has_a_solution_by_construction(n, variables):
    problem = of_size("sudoku", n)
    side = n * n
    rows = [[(n * r + r // n + c) % side for c in range(side)] for r in range(side)]
    solution = [(r, c, rows[r][c]) for r in range(side) for c in range(side)]
    assert len(problem.options) == variables
    assert problem.violation(solution) is None
    chosen = [problem.options.index(option) for option in solution]
    model = np.isin(np.arange(variables), chosen)
    assert problem.constraints().broken_by(model) is None
    assert problem.satisfiable


def test_the_solution_of_a_known_sudoku_follows_the_rules_and_is_the_only_one():
    (problem,) = parsed(ROYLE)
    (found,) = exhaustive.solutions(problem)
    solution = [problem.options[variable - 1] for variable in found]
    assert len(problem.placed) == 17
    assert written(problem, solution) == SOLVED
    assert problem.violation(solution) is None


@pytest.mark.parametrize("name", ["pairwise", "log", "order", "commander", "totalizer"])
def test_a_solver_finds_the_solution_of_a_known_sudoku(name):
    (problem,) = parsed(ROYLE)
    encoding = Encoding.named(name)
    cnf = encoding.clauses(problem)
    with Solver("cadical195", bootstrap_with=cnf.clauses()) as solver:
        assert solver.solve()
        true = [literal - 1 for literal in solver.get_model() if 0 < literal <= cnf.num_variables]
    values = np.isin(np.arange(cnf.num_variables), true)
    assert written(problem, encoding.decode(problem, values)) == SOLVED


@pytest.mark.parametrize("family", ["quasigroup", "quasigroup:from=square"])
def test_a_denser_quasigroup_contains_a_sparser_one(family):
    densities = [0.1, 0.3, 0.5, 0.6]
    problems = list(Family.named(family).drawn([9], densities, 1, 4))
    cells = [set(problem.placed) for problem in problems]
    assert [len(each) for each in cells] == [8, 24, 41, 49]
    assert all(sparse < dense for sparse, dense in pairwise(cells))
    assert [problem.density for problem in problems] == [len(each) / 81 for each in cells]


@pytest.mark.parametrize("family", ["quasigroup", "quasigroup:from=square"])
def test_the_same_seed_gives_the_same_quasigroups(family):
    first, second, other = (drawn(family, 8, 0.4, seed) for seed in (1, 1, 2))
    assert first == second
    assert {each.placed for each in first}.isdisjoint(each.placed for each in other)


@pytest.mark.parametrize("family", ["quasigroup", "quasigroup:from=square"])
def test_placed_symbols_break_no_rule(family):
    assert all(each.clash(each.placed) is None for each in drawn(family, 12, 0.6))


def test_dense_quasigroups_have_no_solution_unless_they_come_from_a_square():
    at_random = drawn("quasigroup", 10, 0.6, instances=10)
    from_squares = drawn("quasigroup:from=square", 10, 0.6, instances=10)
    assert not any(map(exhaustive.has_solution, at_random))
    assert all(map(exhaustive.has_solution, from_squares))


def test_a_full_quasigroup_from_a_square_is_its_own_solution():
    (problem,) = drawn("quasigroup:from=square", 7, 1.0, instances=1)
    assert problem.violation(problem.placed) is None


def test_quasigroups_that_cannot_be_filled_so_far_are_left_out():
    (left_out,) = drawn("quasigroup", 10, 1.0)
    assert isinstance(left_out, LeftOut)
    assert "fewer than 100 cells" in str(left_out)


def test_random_squares_are_latin_squares_and_all_of_order_3_occur():
    source = random.Random(0)
    squares = [quasigroup.draw(3, source) for _ in range(300)]
    assert all(LatinSquare(3).violation(square) is None for square in squares)
    assert len(set(squares)) == LATIN_SQUARES[3]


def test_fewer_than_n_symbols_can_be_completed_and_contradictions_cannot():
    assert LatinSquare(3, placed=((0, 0, 0), (1, 1, 1))).satisfiable is True
    assert LatinSquare(3, placed=((0, 0, 0), (0, 1, 0))).satisfiable is False
    undecided = LatinSquare(2, "quasigroup", placed=((0, 0, 0), (1, 1, 1)))
    assert undecided.satisfiable is None
    assert exhaustive.count(undecided) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([(0, 0, 9)], "(0, 0, 9) is outside a sudoku of order 2"),
        ([(0, 1, 0), (0, 1, 2)], "two symbols in cell (0, 1)"),
        ([(2, 0, 0), (2, 3, 0)], "symbol 1 is twice in row 2"),
        ([(0, 3, 1), (2, 3, 1)], "symbol 2 is twice in column 3"),
        ([(2, 0, 1), (3, 1, 1)], "symbol 2 is twice in box (1, 0)"),
        ([(2, 0, 1)], "1 of 16 cells have a symbol"),
    ],
)
def test_each_broken_rule_has_its_message(wrong, message):
    assert Sudoku(2).violation(wrong) == message


def test_a_solution_has_to_keep_the_placed_symbols():
    placed = LatinSquare(2, "quasigroup", placed=((0, 1, 1),))
    assert placed.violation([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]) is None
    message = placed.violation([(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)])
    assert message == "cell (0, 1) must hold 2, which was placed there"


def test_symbols_are_drawn_as_digits_letters_and_wide_numbers():
    diagonal = [(k, k, k) for k in range(36)]
    assert LatinSquare(2).drawing(diagonal[:1]) == "1 .\n. ."
    assert LatinSquare(35).drawing(diagonal[:35]).split()[-1] == "Z"
    assert LatinSquare(36).drawing(diagonal).splitlines()[-1].endswith("  .  . 36")


def test_a_file_of_puzzles_gives_a_problem_for_each_line(tmp_path):
    file = tmp_path / "three.sdk"
    hexadecimal = "1.........aAG..." + 240 * "0"
    file.write_text(f"# comment\n\n{ROYLE}\r\n  {16 * '.'}\n{hexadecimal.replace('aA', 'aB')}\n")
    problems = Family.named("sudoku").read(file)
    assert [(each.n, each.instance) for each in problems] == [
        (3, "three 3"),
        (2, "three 4"),
        (4, "three 5"),
    ]
    assert problems[2].placed == ((0, 0, 0), (0, 10, 9), (0, 11, 10), (0, 12, 15))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n# only a comment\n", "p.sdk: no puzzle: expected one per line"),
        ("\n  12345", "p.sdk, line 2, column 7: 5 cells: expected 16, 81, 256, 625"),
        (700 * ".", "p.sdk, line 1, column 626: 700 cells: expected 16, 81, 256, 625"),
        (
            "1..5" + 12 * ".",
            "p.sdk, line 1, column 4: '5' is not a symbol: "
            "expected 1 to 4, and 0 or . for an empty cell",
        ),
        (
            "1..\u0661" + 12 * ".",
            "p.sdk, line 1, column 4: '\u0661' is not a symbol: expected 1 to 4,"
            " and 0 or . for an empty cell",
        ),
        (f"{16 * '.'}\n 1..1{12 * '.'}", "p.sdk, line 2, column 5: symbol 1 is twice in row 0"),
        ("1...1" + 11 * ".", "p.sdk, line 1, column 5: symbol 1 is twice in column 0"),
        ("1....1" + 10 * ".", "p.sdk, line 1, column 6: symbol 1 is twice in box (0, 0)"),
    ],
)
def test_errors_in_files_have_a_place_and_say_what_was_expected(text, message):
    with pytest.raises(InputError) as error:
        parsed(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("family", "n", "message"),
    [
        ("sudoku", 1, "n is 1: the order of a sudoku is 2 to 5"),
        ("sudoku", 6, "n is 6: the order of a sudoku is 2 to 5"),
        ("latin", 0, "n is 0: the order of a Latin square is 1 to 512"),
        ("latin", 513, "n is 513: the order of a Latin square is 1 to 512"),
    ],
)
def test_orders_that_do_not_exist_are_errors(family, n, message):
    with pytest.raises(InputError) as error:
        of_size(family, n)
    assert str(error.value) == message


def test_a_symbol_outside_the_square_is_an_error():
    with pytest.raises(InputError, match="outside a Latin square of order 2"):
        LatinSquare(2, placed=((0, 2, 0),))


def test_quasigroups_that_are_too_large_are_an_error_before_they_are_drawn():
    with pytest.raises(InputError, match="the order of a Latin square is 1 to 512"):
        drawn("quasigroup", 10_000, 0.4)
