"""Queens in regions, and any exact cover from a file in Knuth's format."""

import random
from itertools import pairwise, permutations

import pytest
from covers_by_hand import BY_HAND, TOY, cover, drawn, queens, regions, tiling
from hypothesis import example, given
from hypothesis import strategies as st

from nqbench.backends.fit import loaded
from nqbench.campaign.workload import Workload
from nqbench.checking import exhaustive
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Task
from nqbench.measure.solutions import Solving
from nqbench.problems.families import cover as cover_family
from nqbench.problems.families import regions as region_family
from nqbench.problems.families.base import LeftOut
from nqbench.problems.families.regions import Regions

pytestmark = pytest.mark.usefixtures("called_directly")


def solved(problem, encoding="pairwise", backend="minisat22"):
    """Every solution, found by a solver."""
    limits = Limits(time_s=60.0, memory_bytes=2**31)
    return list(Solving.named(problem, encoding, backend, Task.ALL, limits).solutions())


def by_permutations(problem):
    """Every solution, by the rules of the puzzle, written here once more."""
    found = []
    for columns in permutations(range(problem.n)):
        apart = all(abs(a - b) > 1 for a, b in pairwise(columns))
        if apart and len({problem.regions[r][c] for r, c in enumerate(columns)}) == problem.n:
            found.append(tuple(enumerate(columns)))
    return found


def refusal(parse, text):
    with pytest.raises(InputError) as refused:
        parse(text)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_knuths_toy_problem_has_its_one_solution():
    problem = cover(TOY)
    (solution,) = solved(problem)
    assert problem.drawing(solution) == "c e\na d f\nb g"
    assert solution == ((0,), (3,), (4,))
    assert exhaustive.count(problem) == 1
    assert (problem.n, str(problem)) == (None, "toy")


@pytest.mark.parametrize(("n", "count"), [(4, 2), (5, 10), (6, 4)])
def test_queens_as_a_file_have_the_known_number_of_solutions(n, count):
    assert exhaustive.count(queens(n)) == count
    assert len(solved(queens(n))) == count


@pytest.mark.parametrize("columns", range(1, 11))
def test_tilings_of_two_rows_are_the_fibonacci_numbers(columns):
    fibonacci = [1, 1]
    while len(fibonacci) <= columns:
        fibonacci.append(sum(fibonacci[-2:]))
    assert exhaustive.count(tiling(2, columns)) == fibonacci[columns]


def test_square_boards_have_the_known_number_of_tilings():
    """Kasteleyn, 1961; OEIS A004003."""
    assert len(solved(tiling(4, 4))) == exhaustive.count(tiling(4, 4)) == 36
    assert exhaustive.count(tiling(6, 6)) == 6728


def test_equal_options_are_different_solutions():
    assert solved(cover("a\na\na\n")) == [((0,),), ((1,),)]


def test_an_item_without_options_leaves_no_solution():
    problem = cover("a b\na\n")
    for encoding in ("pairwise", "product", "pyeda-onehot", "log", "order"):
        assert solved(problem, encoding) == []
    assert exhaustive.count(problem) == 0


def test_encodings_with_variables_for_choices_refuse_a_cover_without_them():
    problem = cover(TOY)
    assert not problem.has_choices
    for encoding, backend in [
        ("log", "minisat22"),
        ("order", "minisat22"),
        ("csp", "backtracking"),
    ]:
        with pytest.raises(InputError) as refused:
            loaded(problem, encoding, backend, Task.FIRST)
        assert str(refused.value) == f"encoding '{encoding}' needs choices, which toy does not have"
    for encoding in ("pairwise", "product", "sequential", "commander"):
        assert len(solved(problem, encoding)) == 1
    assert queens(4).has_choices
    assert len(solved(queens(4), "log")) == 2


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        (((0,), (3,)), "item 'b' is not covered"),
        (((1,), (3,)), "item 'a' is covered by options 1 and 3"),
        (((6,),), "there is no option 6, only 6"),
        (((-1,),), "there is no option -1, only 6"),
        (((0,), (3,), (4,)), None),
    ],
)
def test_the_rules_of_a_cover_are_named(solution, message):
    assert cover(TOY).violation(solution) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "toy.cover: no items: expected the names of the items on the first line"),
        ("| only\n\n", "toy.cover: no items: expected the names of the items on the first line"),
        ("a b\n", "toy.cover: no options: expected one per line, as the items it covers"),
        ("a b\na\n x\n", "line 3, column 2: unknown item 'x': expected items of the first line"),
        ("a b\na b a\n", "line 2, column 5: item 'a' is twice in this option"),
        ("a b a\na\n", "line 1, column 5: item 'a' is listed twice"),
        ("a | b | c\na\n", "line 1, column 7: a second '|'"),
        ("a 2:3|b\na\n", "line 1, column 3: '2:3|b' is not an item"),
        ("a | b\na b:x\n", "line 2, column 3: 'b:x' has a colour"),
        ("a | b\na\nb\n", "line 3, column 1: 'b' begins an option without a primary item"),
    ],
)
def test_a_flaw_in_a_file_is_named_with_its_place(text, message):
    assert message in refusal(cover, text)


def test_a_puzzle_by_hand_has_its_solution():
    problem = regions(BY_HAND)
    (solution,) = solved(problem)
    assert solution == ((0, 1), (1, 3), (2, 0), (3, 2))
    assert problem.drawing(solution) == "a B c c\na a c C\nA a c d\na d D d"


@pytest.mark.parametrize(("n", "count"), [*enumerate([1, 0, 0, 2, 14, 90, 646], 1)])
def test_rows_as_regions_leave_the_known_number_of_placements(n, count):
    """Hertzsprung's problem, OEIS A002464."""
    problem = Regions(tuple("abcdefg"[row] * n for row in range(n)))
    assert exhaustive.count(problem) == count
    assert problem.satisfiable in {None, count > 0}


@pytest.mark.parametrize("n", [1, 4, 5, 6, 7, 8])
def test_a_drawn_puzzle_has_exactly_one_solution(n):
    for problem in drawn(n):
        (known,) = by_permutations(problem)
        assert solved(problem) == [known]
        assert exhaustive.count(problem) == 1
        assert problem.violation(known) is None


def test_the_search_of_the_generator_finds_every_solution():
    for seed in range(5):
        board = region_family._grow_regions((1, 3, 5, 2, 4, 0), random.Random(seed))
        problem = Regions(region_family.rows(board))
        found = {tuple(enumerate(columns)) for columns in region_family.solutions(board)}
        assert found == set(by_permutations(problem))


def test_the_same_seed_draws_the_same_puzzles_and_another_seed_others():
    first = drawn(7, 5)
    assert drawn(7, 5) == first
    assert drawn(7, 2) == first[:2]
    assert [problem.instance for problem in first] == [f"0-{k}" for k in range(1, 6)]
    assert len({problem.regions for problem in (*first, *drawn(7, 5, seed=1))}) == 10


@pytest.mark.parametrize("n", [2, 3])
def test_a_size_without_puzzles_gets_one_clear_line(n):
    (left_out,) = drawn(n)
    assert isinstance(left_out, LeftOut)
    with pytest.raises(InputError) as refused:
        Workload(sizes=[n], families=["regions"]).problems()
    assert str(refused.value) == (
        f"no problems to measure: regions: n is {n}: two queens in different rows and columns "
        "always touch"
    )


@pytest.mark.parametrize("n", [0, 14, 10**6])
def test_a_puzzle_that_takes_too_long_is_refused(n):
    with pytest.raises(InputError, match="random puzzles have 1 to 13 rows"):
        region_family.puzzle(n, random.Random(0))


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        (((0, 1), (1, 4)), "queen on (1, 4), outside the 4 x 4 board"),
        (((0, 1), (0, 3)), "queens on (0, 1) and (0, 3) share a row"),
        (((0, 1), (2, 1)), "queens on (0, 1) and (2, 1) share a column"),
        (((0, 0), (2, 1)), "queens on (0, 0) and (2, 1) share the region a"),
        (((0, 0), (2, 3)), "2 queens on the board instead of 4"),
        (((0, 1), (1, 2)), "queens on (0, 1) and (1, 2) touch"),
        ((), "0 queens on the board instead of 4"),
        (((0, 1), (1, 3), (2, 0), (3, 2)), None),
    ],
)
def test_the_rules_of_regions_are_named(solution, message):
    assert regions(BY_HAND).violation(solution) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "puzzle.regions: no board"),
        ("a b\na .\n", "line 2, column 3: '.' is not a region: expected a letter or digit"),
        ("ab\nabb\n", "line 2, column 3: 3 squares in a board of 2 rows: each row needs 2"),
        ("aa\naa\n", "line 2, column 2: 1 regions in a board of 2 rows: expected 2"),
        ("a b\n\nc c\n", "line 3, column 1: 3 regions in a board of 2 rows: expected 2"),
        ("ab\nba\n", "line 2, column 2: region 'a' is not connected"),
        ("\n".join("a" * 27 for _ in range(27)), "27 rows: expected at most 26"),
    ],
)
def test_a_flaw_in_a_picture_is_named_with_its_place(text, message):
    assert message in refusal(regions, text)


def test_puzzles_that_differ_in_symbols_are_equal():
    assert regions("1 1\nX X") == regions("aa\nbb") != regions("ab\nab")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ((), "0 rows of regions: expected 1 to 26"),
        (("ab", "a"), "a row of regions does not have 2 squares"),
        (("ab", "ba"), "square (1, 1): region 'a' is not connected"),
    ],
)
def test_regions_that_cannot_be_are_refused(rows, message):
    with pytest.raises(InputError) as refused:
        Regions(rows)
    assert str(refused.value) == message


def test_regions_are_solved_from_files_and_by_seed(nqbench, tmp_path):
    for name, arguments in (("p.regions", []), ("p.txt", ["--family", "regions"])):
        (tmp_path / name).write_text(BY_HAND)
        shown = nqbench("solve", *arguments, "--file", name)
        assert shown.stdout == "a B c c\na a c C\nA a c d\na d D d\n", shown.stderr
    counted = nqbench("count", "--family", "regions", "--n", 9, "--seed", 5)
    assert counted.stdout == "1\n"
    shown = nqbench("solve", "--family", "regions", "--n", 3)
    assert (shown.returncode, shown.stderr.count("\n")) == (2, 1)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "|", " ", "\n", "\n", "a:x", "\t", "\r"]))


@given(st.text() | WORDS.map(" ".join) | WORDS.map("".join))
@example("a\x85b\na")
def test_any_text_is_a_cover_or_an_input_error(text):
    try:
        problem = cover_family.parse(text, "random")
    except InputError:
        return
    problem.constraints().check()
    assert isinstance(problem.has_choices, bool)


@given(st.text() | st.text("ab \n") | st.text("abcd12Z\n", max_size=30))
@example("ab\nab")
def test_any_text_is_a_puzzle_or_an_input_error(text):
    try:
        problem = region_family.parse(text, "random")
    except InputError:
        return
    problem.constraints().check()
