"""The judge's own reader of files of constraints."""

import itertools
import re

import numpy as np
import pytest

from nqbench.checking.constraint_file import read_rows
from nqbench.common.errors import InputError


def read(text):
    return read_rows(text.encode().splitlines(keepends=True))


def rows(text):
    """Each row with its line: pairs of weight and literal, the relation, and the bound."""
    file = read(text)
    return [
        (
            int(line),
            list(zip(file.weights[a:b].tolist(), file.literals[a:b].tolist(), strict=True)),
            int(relation),
            int(bound),
        )
        for line, (a, b), relation, bound in zip(
            file.lines, itertools.pairwise(file.starts), file.relations, file.bounds, strict=True
        )
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c x\np cnf 3 2\n1 -2 0 3\n0\n", [(3, [(1, 1), (1, -2)], 1, 1), (3, [(1, 3)], 1, 1)]),
        ("p cnf 2 1\n\n1\nc between\n2\n0\n%\n0\n", [(3, [(1, 1), (1, 2)], 1, 1)]),
        ("p cnf 1 1\n0\n", [(2, [], 1, 1)]),
        (
            "p knf 4 2\nk 3 1 -2 4 0\n-1 3 0\n",
            [(2, [(1, 1), (1, -2), (1, 4)], 1, 3), (3, [(1, -1), (1, 3)], 1, 1)],
        ),
        (
            "p cnf+ 3 3\r\n1 2 3 <= 1\r\n1 -3 >= 2\r\n1 0\r\n",
            [
                (2, [(1, 1), (1, 2), (1, 3)], -1, 1),
                (3, [(1, 1), (1, -3)], 1, 2),
                (4, [(1, 1)], 1, 1),
            ],
        ),
        (
            "* #variable= 3 #constraint= 2\n* more\nmin: +1 x1 ;\n+1 x1 +1 ~x2\n -2 x3 >= -1;"
            " +1 x1 = 1 ;\n",
            [(4, [(1, 1), (1, -2), (-2, 3)], 1, -1), (5, [(1, 1)], 0, 1)],
        ),
        ("3 x1 4 x2 <= 5 ;\n", [(1, [(3, 1), (4, 2)], -1, 5)]),
    ],
)
def test_formats(text, expected):
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p wknf 3 2\n1 2 0\n", "line 1: expected 'p cnf', 'p cnf+', 'p knf' or 'p wcnf'"),
        ("p cnf x 2\n1 2 0\n", "line 1: expected 'p cnf'"),
        ("p cnf 2 1\n1 x 0\n", "line 2: expected whole numbers, not '1 x 0'"),
        ("p cnf 2 1\n1 1_0 0\n", "line 2: expected whole numbers, not '1 1_0 0'"),
        ("p cnf 2 1\n1 3 0\n", "beyond 2"),
        ("p cnf 2 1\n1 -9223372036854775808 0\n", "beyond 2"),
        ("p cnf 2 2\n1 2 0\n", "the file has 1 rows, and its header states 2"),
        ("p cnf 2 1\n1 2\n", "line 2: the last clause does not end with 0"),
        ("p cnf 2 1\nk 1 1 2 0\n", "line 2: expected whole numbers"),
        ("p cnf 2 1\n1 2 <= 1\n", "line 2: expected whole numbers"),
        ("p knf 2 1\nk 1 1 2\n", "line 2: expected 'k', a bound, literals, and one 0 at the end"),
        ("p knf 2 1\nk 1 1 0 2 0\n", "line 2: expected 'k'"),
        ("p knf 2 1\nk 0\n", "line 2: expected 'k'"),
        ("p knf 2 1\nk\n", "line 2: expected 'k'"),
        ("p knf 2 1\ng 1 1 2 0\n", "line 2: expected whole numbers"),
        ("p knf 2 1\n1 k 1 1 2 0\n", "line 2: expected whole numbers"),
        ("p cnf+ 2 1\n1 2 <= x\n", "line 2: expected whole numbers"),
        ("p cnf+ 2 1\n1 2 < 1\n", "line 2: expected whole numbers"),
        ("p cnf+ 2 1\n1 0 2 <= 1\n", "a variable is 0"),
        ("+1 x1 +1 x2 >= 1\n", "the last row does not end with ';'"),
        ("\n+1 x1~x2 >= 1 ;\n", "line 2: a blank is missing before '~'"),
        ("+1 x1-x2 >= 1 ;\n", "line 1: 'x1-x2' may be one name or a difference"),
        ("+1 é >= 1 ;\n", "line 1: expected ASCII"),
        ("+1.5 x1 >= 1 ;\n", "line 1: expected a variable, not '.5 x1 '"),
        ("+1 x1 > 1 ;\n", "line 1: expected weights"),
        ("+1 x1 >= ;\n", "line 1: expected a whole number, not ''"),
        ("x1 + >= 1 ;\n", "line 1: a sign has no variable"),
        ("2 3 x1 >= 1 ;\n", "line 1: a weight has no variable"),
        ("* x1 >= 1 ;\n2 * * x1 >= 1;", "line 2: '*' follows neither a number nor a variable"),
        ("/* x1 >= 1 ;\n", "line 1: a comment does not end"),
        (";\n", "line 1: expected weights"),
        ("\n[0] x1 >= 1 ;\n", "line 2: a cost is not positive"),
        ("soft: 6 ;\nmin: x1 ;\n", "soft rows and an objective"),
        ("max: x1 ;\nmin: x1 ;\n", "line 2: a second objective"),
        ("p wcnf 2 3 0\n", "line 1: a top of 0 does not say which clauses are hard"),
    ],
)
def test_what_is_not_read_is_refused_with_its_line(text, message):
    with pytest.raises(InputError, match=f"{re.escape(message)}"):
        read(text)


def test_a_broken_row_is_named_by_its_line():
    file = read("c\np knf 3 2\nc\n1 2 0\nk 2 1 -2 3 0\n")
    assert file.broken_by(np.array([True, False, False])) is None
    found = file.broken_by(np.array([True, True, False]))
    assert found == "the model breaks line 5: it has 1, not at least 2"
    assert file.broken_by(np.array([False, False, True])).startswith("the model breaks line 4:")
    with pytest.raises(ValueError, match="shape"):
        file.broken_by(np.array([True, True]))


def test_a_weight_is_not_dropped():
    file = read("+3 x1 +1 x2 = 3 ;\n")
    assert file.broken_by(np.array([True, False])) is None
    assert "it has 4, not exactly 3" in file.broken_by(np.array([True, True]))


def test_many_rows_are_read():
    """As many as PySAT reads from the same file, with the same literals."""
    from pysat.formula import CNFPlus

    rng = np.random.default_rng(1)
    literals = rng.integers(1, 1000, (3000, 10)) * rng.choice([-1, 1], (3000, 10))
    lines = ["p cnf+ 999 3000", *(" ".join(map(str, row)) + " <= 4" for row in literals.tolist())]
    text = "\n".join(lines)
    file = read(text)
    peer = CNFPlus(from_string=text)
    assert [row for row, _ in peer.atmosts] == file.literals.reshape(3000, 10).tolist()
    assert {bound for _, bound in peer.atmosts} == set(file.bounds.tolist())
