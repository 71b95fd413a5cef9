"""What comment lines say that a formula encodes."""

import re

import numpy as np
import pytest

from nqbench.clauses import constraint_files
from nqbench.clauses.comment_lines import chosen, read_description
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.measure.formula import make_file
from nqbench.problems.families.base import Family
from nqbench.problems.families.described import DescribedFormula, described_problem, facts_of
from nqbench.problems.options import Box
from nqbench.problems.queens import Queens

PROBLEMS = [
    Queens(4),
    Queens(5, "torus"),
    Queens(5, "completion", ((0, 3),), ((1, 1),)),
    Family.named("queen-domination").of_size(4),
    Family.named("queen-domination:k=3").of_size(4),
    Family.named("queen-domination:symmetry=eight").of_size(4),
    Family.named("latin").of_size(4),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_a_problem_is_found_again(problem):
    assert described_problem(problem.family, facts_of(problem)) == problem


@pytest.mark.parametrize("suffix", [".cnf", ".knf", ".cnf+", ".opb"])
@pytest.mark.parametrize("name", ["pairwise", "log", "order", "native"])
def test_a_file_says_what_it_encodes(name, suffix, tmp_path):
    encoding, problem = Encoding.named(name), Queens(5, "torus")
    made = make_file(encoding, problem)
    path = tmp_path / f"q{suffix}"
    constraint_files.write_file(made.formula, path, made.comments)
    content = path.read_bytes()
    bare = tmp_path / f"bare{suffix}"
    constraint_files.write_file(made.formula, bare)
    read = DescribedFormula.read(content, "q")
    assert read.formula.digest() == constraint_files.read(bare.read_bytes(), "q").digest()
    assert read.notes == ()
    assert read.problem(None) == problem
    assert read.description.encoding == name
    assert read.literals(problem).tolist() == encoding.option_literals(problem).tolist()


BOX = Box(2, 2)


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("p cnf 4 0\n", [1, 2, 3, 4]),
        ("c nqbench options 4..1\n", [4, 3, 2, 1]),
        ("c nqbench options 5\r\np cnf 9 0\r\n c nqbench options 7..8 -1\r\n", [5, 7, 8, -1]),
        ("c nqbench options 1..4\nc nqbench option 0 1 = -9", [1, -9, 3, 4]),
        ("* nqbench options -1..-4\n", [-1, -2, -3, -4]),
        ("c about nqbench options 4..1\n", [1, 2, 3, 4]),
    ],
)
def test_literals_of_options(text, literals):
    assert read_description(text.encode(), "f").literals(BOX).ravel().tolist() == literals


def test_an_option_may_have_several_literals():
    lines = "".join(
        f"c nqbench option {r} {c} = {(-1) ** (1 - r)} {2 * (-1) ** (1 - c)}\n" for r, c in BOX
    )
    literals = read_description(lines.encode(), "f").literals(BOX)
    assert [chosen(literals, np.array(values)) for values in ([0, 0], [0, 1], [1, 0], [1, 1])] == [
        [0], [1], [2], [3]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("options 1..x", "line 2: 'c nqbench options 1..x': '1..x' is no literal"),
        ("options 0..3", "'0..3' is no literal"),
        ("options -1..3", "'-1..3' is no literal"),
        ("options 1..2147483648", "is no literal"),
        ("option 0 3", "write the numbers of the option and its literals: 0 3 = 17"),
        ("problem queens 8", "write the family and its size: queens n=8"),
        ('problem queens {"n": 8', "the fields of the problem are no JSON object"),
        ("problem queens n=8\nc nqbench problem queens n=9", "line 3"),
        ("options 1..3", "'c nqbench options' has 3 literals, and the problem has 4 options"),
        ("option 0 1 = 3", "no line 'c nqbench option 0 0 = ...', but others"),
    ],
)
def test_a_wrong_line_is_refused(line, why):
    with pytest.raises(InputError, match=re.escape(why)):
        read_description(f"p cnf 4 0\nc nqbench {line}\n".encode(), "f.cnf").literals(BOX)


def test_a_file_does_not_load_what_it_names():
    read = DescribedFormula.read(b"c nqbench problem ./mine.py:Mine n=8\np cnf 1 0\n", "f")
    with pytest.raises(InputError, match=r"no family './mine.py:Mine' is installed"):
        read.problem(None)
    assert read.problem(Queens(8)) == Queens(8)
