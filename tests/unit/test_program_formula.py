"""The formula in what a program printed or left, with what is around it."""

from itertools import product

import numpy as np
import pytest

from nqbench.clauses.cnf import CNF
from nqbench.common.errors import InputError
from nqbench.encodings.program_formula import find_formula, read_formula

FORMULA = b"p cnf 3 2\n1 -2 0\n2 3 0\n"
CLAUSES = [[1, -2], [2, 3]]


def nothing_left() -> dict[str, bytes]:
    return {}


def clauses(cnf: CNF) -> list[list[int]]:
    return list(cnf.clauses())


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (FORMULA, []),
        (b"c made by\n" + FORMULA, []),
        (FORMULA.replace(b"\n", b"\r\n"), []),
        (b"Enter n: c made by\n" + FORMULA, ["before the formula, 'Enter n: c made by'"]),
        (b"Enter n: " + FORMULA, ["before the formula, 'Enter n:'"]),
        (b"c p cnf 9 9 is the header\nn = " + FORMULA, ["before the formula, 'n ='"]),
        (FORMULA + b"SAT\n1 2 3 0\n", ["from line 4 on, 'SAT'"]),
        (FORMULA + b"\np cnf 1 1\n1 0\n", ["from line 5 on, 'p cnf 1 1'"]),
        (FORMULA.replace(b"3 2", b"3 1"), ["holds 2 clauses, but the header says 1"]),
        (FORMULA.replace(b"3 2", b"2 2"), ["holds 3 variables, but the header says 2"]),
        (b"n? " + FORMULA.replace(b"3 2", b"3 3") + b"SAT\n", ["header says 3", "n?", "SAT"]),
    ],
)
def test_formula_is_found_in_text(text: bytes, notes: list[str]) -> None:
    formula = find_formula(text, nothing_left)
    assert clauses(formula.cnf) == CLAUSES
    assert len(formula.notes) == len(notes)
    for expected, note in zip(notes, formula.notes, strict=True):
        assert expected in note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"n: \n" + FORMULA.replace(b"2 3 ", b"2 4294967295 "), "line 4: literal 4294967295 is"),
        (FORMULA.replace(b"2 3 0", b"2 3"), "the last clause does not end with 0"),
        (FORMULA.replace(b"\n2", b"\nrow 2\n2"), "line 3: 'row' is not a literal"),
        (FORMULA.replace(b"2 3", b"2 x3"), "line 3: 'x3' is not a literal"),
        (b"p cnf 3\n1 0\n", "the header is 'p cnf 3'"),
        (b"1 2 0\n", "no line 'p cnf"),
        (b"", "no line 'p cnf"),
    ],
)  # fmt: skip
def test_what_is_no_formula_is_refused_with_its_line(text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_formula(text, nothing_left)


def test_formula_is_found_in_a_file_of_any_name() -> None:
    left = {"a.txt": b"notes", "queens.sat": FORMULA}
    assert clauses(find_formula(b"done\n", lambda: left).cnf) == CLAUSES
    assert clauses(find_formula(b"p cnf 1 1\n1 0\n", lambda: left, "queens.sat").cnf) == CLAUSES
    with pytest.raises(InputError, match=r"left 2 files with a formula \(b, queens.sat\)"):
        find_formula(b"done\n", lambda: {**left, "b": FORMULA})
    with pytest.raises(InputError, match=r"wrote no file \{out\}"):
        find_formula(FORMULA, lambda: left, "out")


OPTIONS = [(0, 0), (0, 1)]


def models(cnf: CNF) -> set[tuple[bool, ...]]:
    """The values of the main variables in all models."""
    found = set()
    for number in range(2**cnf.num_variables):
        values = np.array([number >> bit & 1 for bit in range(cnf.num_variables)], dtype=np.bool_)
        if cnf.falsified(values) is None:
            found.add(tuple(values[: cnf.num_main].tolist()))
    return found


# Of the formula (1 or not 2) and (2 or 3), with these literals as both options.
@pytest.mark.parametrize(
    ("lines", "literals"),
    [
        (b"c nqbench options 3 1\n", [[3], [1]]),
        (b"c nqbench option 0 1 = 1\nc nqbench option 0 0 = 3\n", [[3], [1]]),
        (b"c nqbench options -3 1\n", [[-3], [1]]),
        (b"c nqbench option 0 0 = 3 -2\nc nqbench option 0 1 = 1\n", [[3, -2], [1]]),
        (b"c nqbench options 1 1\n", [[1], [1]]),
    ],
)
def test_comment_lines_say_which_variable_is_which_option(
    lines: bytes, literals: list[list[int]]
) -> None:
    expected = set()
    for number in range(8):
        truth = {v: bool(number >> (v - 1) & 1) for v in (1, 2, 3)}
        holds = {v: truth[abs(v)] == (v > 0) for v in (1, 2, 3, -1, -2, -3)}
        if all(any(holds[literal] for literal in clause) for clause in CLAUSES):
            expected.add(tuple(all(holds[v] for v in option) for option in literals))
    cnf = read_formula(lines + FORMULA, "text").with_options(OPTIONS)
    cnf.check()
    assert models(cnf) == expected


def test_options_are_the_first_variables_by_default() -> None:
    cnf = read_formula(b"p cnf 1 1\n1 0\n", "text").with_options(OPTIONS)
    assert (cnf.num_main, cnf.num_variables) == (2, 2)


WHOLE = b"p cnf 12 4\n1 -2 0\n-10 11 0\n3 -12 0\n4 10 -1 0\n"
CUT = (b"", b"\n", b"\n-\n", b"\nTraceback (most\n", b"\r\n", b"\n\nc end\n")
GLUED = (b" Killed\n", b"Killed", b" c note\n", b" x", b"\0")
"""Only if the header says that there is more, a number before a word is known as a literal."""


@pytest.mark.parametrize(
    ("after", "stated"),
    [*product(CUT, [4, 1, 99]), *product(GLUED, [4, 99])],
)
def test_a_formula_that_ends_inside_a_clause_is_refused(after: bytes, stated: int) -> None:
    whole = WHOLE.replace(b" 4\n", b" %d\n" % stated)
    header = whole.index(b"\n") + 1
    for end in range(header + 1, len(whole)):
        cut = whole[:end]
        if cut.endswith((b" 0", b"\n")):  # between clauses
            continue
        with pytest.raises(InputError, match="line"):
            read_formula(cut + after, "its output")


@pytest.mark.parametrize("line", [b"x1 2 3 0", b"x 1 2 3 0", b"k 2 1 2 0", b"a 1 2 0"])
def test_a_line_that_is_more_than_a_clause_is_refused(line: bytes) -> None:
    with pytest.raises(InputError, match="not a clause"):
        read_formula(FORMULA + line + b"\n", "its output")


@pytest.mark.parametrize(
    "line", [b"s SATISFIABLE", b"v 1 2 3 0", b"----", b"8 queens", b". . Q", b"2.5 s", b"- done"]
)
def test_text_after_a_whole_formula_is_noted(line: bytes) -> None:
    formula = read_formula(FORMULA + line + b"\n", "its output")
    assert clauses(formula.cnf) == CLAUSES
    assert [f"'{line.decode()}'" in note for note in formula.notes] == [True]
