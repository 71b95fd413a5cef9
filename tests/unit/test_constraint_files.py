"""Files of constraints: what is read, written, normalised, and refused with the line."""

import gzip
import io
import itertools
import json
import math
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pysat.formula import CNFPlus as PySATFormula

from nqbench.clauses import constraint_files, dimacs, words
from nqbench.clauses.cnf import CNF
from nqbench.clauses.comment_lines import Annotations
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.common.errors import InputError

SUFFIXES = (".knf", ".cnf+", ".opb")
some = settings(max_examples=40)
few = settings(max_examples=15)
needs_clasp = pytest.mark.skipif(
    not shutil.which("clasp"), reason="clasp is not installed: apt install clasp"
)


def block(*rows):
    return np.array(rows, np.int32).reshape(len(rows), -1)


def lines_of(formula):
    """Clauses and rows as (literals, least, most)."""
    cnf, rows = (formula, ()) if isinstance(formula, CNF) else (formula.cnf, formula.counted)
    for clause in cnf.clauses():
        yield clause, 1, len(clause)
    for each in rows:
        for row in each.literals.tolist():
            yield row, each.least, each.most


def weighted_lines_of(formula):
    """Rows with weights as (pairs of weight and literal, least, most)."""
    for each in () if isinstance(formula, CNF) else formula.weighted:
        arrays = (each.weights, each.literals, each.least, each.most)
        for weights, literals, least, most in zip(*(a.tolist() for a in arrays), strict=True):
            yield list(zip(weights, literals, strict=True)), least, most


def models_of(num_variables, rows):
    """Models by the definition of a row: terms, and the least and the most that they add up to."""
    every = itertools.product([False, True], repeat=num_variables)
    return [
        values
        for values in every
        if all(
            least <= sum(w for w, v in terms if values[abs(v) - 1] == (v > 0)) <= most
            for terms, least, most in rows
        )
    ]


def models(formula):
    # A clause with a literal twice counts it twice, and has to have room for that.
    rows = [([(1, each) for each in row], *bounds) for row, *bounds in lines_of(formula)]
    return models_of(formula.num_variables, [*rows, *weighted_lines_of(formula)])


def models_of_sums(num_variables, sums):
    rows = [
        (terms, -math.inf if relation == "<=" else bound, math.inf if relation == ">=" else bound)
        for terms, relation, bound in sums
    ]
    return models_of(num_variables, rows)


@st.composite
def constraints(draw):
    n = draw(st.integers(1, 5))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from([v, -v]))
    clauses = draw(st.lists(st.lists(literal, max_size=4), max_size=4))
    rows = []
    for _ in range(draw(st.integers(0, 5))):
        variables = draw(st.permutations(range(1, n + 1)))[: draw(st.integers(1, n))]
        count = draw(st.integers(1, 2))
        signs = [draw(st.lists(st.sampled_from([1, -1]), min_size=n, max_size=n))] * count
        literals = np.array(variables) * np.array([each[: len(variables)] for each in signs])
        least = draw(st.integers(0, len(variables) + 1))
        rows.append(Rows(block(*literals), least, draw(st.integers(least, len(variables) + 1))))
    blocks = tuple(block(clause) for clause in clauses)
    return Constraints(CNF(n, n, blocks), tuple(rows))


WEIGHTS = st.integers(-4, 4)
ONES = st.just(1)


@st.composite
def sums(draw, weights=WEIGHTS, relations=(">=", "=")):
    n = draw(st.integers(1, 4))
    term = st.tuples(weights, st.integers(1, n).flatmap(lambda v: st.sampled_from([v, -v])))
    row = st.tuples(
        st.lists(term, min_size=1, max_size=6), st.sampled_from(relations), st.integers(-6, 8)
    )
    return n, draw(st.lists(row, max_size=4))


def name(literal):
    return f"{'~' if literal < 0 else ''}x{abs(literal)}"


def as_opb(n, rows):
    lines = [f"* #variable= {n} #constraint= {len(rows)}"]
    for terms, relation, bound in rows:
        text = " ".join(f"{weight:+} {name(literal)}" for weight, literal in terms)
        lines.append(f"{text} {relation} {bound} ;")
    return "\n".join(lines).encode() + b"\n"


def as_counts(form, row, n, rows):
    """Rows without weights, each written like `row`."""
    lines = [f"p {form} {n} {len(rows)}"]
    for terms, relation, bound in rows:
        literals = " ".join(str(literal) for _, literal in terms)
        lines.append(row.format(literals=literals, relation=relation, bound=bound))
    return "\n".join(lines).encode() + b"\n"


def check_as_stated(text, n, rows):
    """The text has the models of its sums."""
    formula = constraint_files.read(text, "a")
    assert models(formula) == models_of_sums(n, rows)
    assert formula.num_variables == n
    if isinstance(formula, Constraints):
        formula.check()
        # What is a clause, or holds for any or no values, is not a row.
        for each in formula.counted:
            assert 0 <= each.least <= each.most <= each.length
            assert each.least != each.length
            assert each.most != 0
            assert each.bounds not in {(1, each.length), (0, each.length - 1), (0, each.length)}
        assert len({(each.length, *each.bounds) for each in formula.counted}) == len(
            formula.counted
        )
        for each in formula.weighted:
            assert (each.weights.max(axis=1) > 1).all()
            assert (np.gcd.reduce(each.weights, axis=1) == 1).all()
            assert ((each.least == each.most) | (each.most == each.totals)).all()


@some
@given(constraints())
def test_what_is_written_is_read_again(formula):
    for suffix in SUFFIXES:
        text = constraint_files.text(formula, suffix).encode()
        again = constraint_files.read(text, "a")
        assert models(again) == models(formula)
        assert again.num_variables == formula.num_variables
        assert again.num_main == 0


@few
@given(constraints())
def test_every_format_reads_the_same_constraints(formula):
    one_sided = [each for each in formula.rows if each.least <= 0 or each.most >= each.length]
    formula = Constraints(CNF(formula.num_variables, 0, ()), tuple(one_sided))
    texts = [constraint_files.text(formula, suffix).encode() for suffix in SUFFIXES]
    assert len({constraint_files.read(text, "a").digest() for text in texts}) == 1


@some
@given(sums())
def test_sums_are_read_by_their_definition(stated):
    n, rows = stated
    check_as_stated(as_opb(n, rows), n, rows)


@few
@given(sums(ONES, (">=", "<=")))
def test_repeats_in_cnf_plus_are_read_by_definition(stated):
    n, rows = stated
    check_as_stated(as_counts("cnf+", "{literals} {relation} {bound}", n, rows), n, rows)


@few
@given(sums(ONES, (">=",)))
def test_repeats_in_knf_are_read_by_definition(stated):
    n, rows = stated
    rows = [(terms, relation, max(0, bound)) for terms, relation, bound in rows]
    check_as_stated(as_counts("knf", "k {bound} {literals} 0", n, rows), n, rows)


@few
@given(constraints())
def test_pysat_reads_the_same_cnf_plus(formula):
    theirs = PySATFormula(from_string=constraint_files.text(formula, ".cnf+"))
    rows = [([(1, each) for each in clause], ">=", 1) for clause in theirs.clauses]
    rows += [([(1, each) for each in literals], "<=", k) for literals, k in theirs.atmosts]
    assert models_of_sums(formula.num_variables, rows) == models(formula)
    file = io.StringIO()
    theirs.to_fp(file)
    ours = constraint_files.read(file.getvalue().encode(), "pysat", lenient=True)
    assert models(ours) == models_of_sums(ours.num_variables, rows)


def count_by_clasp(path):
    command = ["clasp", "-n0", "--outf=2", "-q", str(path)]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    return json.loads(output)["Models"]["Number"]


@needs_clasp
@pytest.mark.parametrize("suffix", [".cnf+", ".opb"])
def test_clasp_counts_the_same_models(tmp_path, suffix):
    path = tmp_path / "a"

    @few
    @given(constraints())
    def check(formula):
        path.write_text(constraint_files.text(formula, suffix) + "\n")
        assert count_by_clasp(path) == len(models(formula))

    check()


def is_plain(terms):
    """Whether no weights have to be divided; clasp 3.3.5 has a model of `+2 x1 = 1`."""
    return len({abs(literal) for _, literal in terms}) == len(terms) and all(
        abs(weight) == 1 for weight, _ in terms
    )


@needs_clasp
def test_clasp_counts_the_same_models_of_texts_with_weights_and_repeats(tmp_path):
    path = tmp_path / "a"

    @few
    @given(sums())
    def check(stated):
        n, rows = stated
        rows = [row for row in rows if row[1] == ">=" or is_plain(row[0])]
        path.write_bytes(as_opb(n, rows))
        formula = constraint_files.read(path.read_bytes(), "a")
        assert count_by_clasp(path) == len(models(formula))

    check()


@pytest.mark.filterwarnings("ignore:Loading a model whilst there are already variables")
def test_cpmpy_reads_the_same_opb():
    opb = pytest.importorskip("cpmpy.tools.io.opb", reason="cpmpy is not installed")

    @few
    @given(sums())
    def check(stated):
        n, rows = stated
        # Their reader wants rows of two terms and more, and every variable of the header to occur.
        rows = [row for row in rows if len(row[0]) > 1]
        rows.append(([(1, sign * v) for v in range(1, n + 1) for sign in (1, -1)], ">=", 0))
        text = as_opb(n, rows)
        theirs = opb.load_opb(text.decode()).solveAll()
        assert theirs == len(models(constraint_files.read(text, "a")))

    check()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # Of KNF and CNF+.
        (b"p knf 3 1\nk 1 1 2 3 0\n", [([1, 2, 3], 1, 3)]),
        (b"p cnf+ 3 1\n1 2 3 >= 1\n", [([1, 2, 3], 1, 3)]),
        (b"p cnf+ 3 1\n1 -2 3 <= 2\n", [([-1, 2, -3], 1, 3)]),
        (b"p cnf+ 2 1\n1 2 <= 1\n", [([-1, -2], 1, 2)]),
        (b"p knf 3 1\nk 2 1 2 3 0\n", [([1, 2, 3], 2, 3)]),
        (b"p knf 3 1\nk 2 -1 -2 -3 0\n", [([1, 2, 3], 0, 1)]),
        (b"p knf 3 1\nk 3 1 2 -3 0\n", [([1], 1, 1), ([2], 1, 1), ([-3], 1, 1)]),
        (b"p cnf+ 2 1\n1 2 <= 0\n", [([-1], 1, 1), ([-2], 1, 1)]),
        (b"p knf 3 2\nk 0 1 2 3 0\n1 0\n", [([1], 1, 1)]),
        (b"p knf 3 1\nk 4 1 2 3 0\n", [([], 1, 0)]),
        (b"p cnf+ 3 1\n1 2 <= -1\n", [([], 1, 0)]),
        (b"p cnf+ 3 1\n1 2 <= 2\n", []),
        (b"p cnf+ 3 1\n1 2 -1 3 <= 2\n", [([-2, -3], 1, 2)]),
        (b"p knf 3 1\nk 1 1 1 2 0\n", [([1, 2], 1, 2)]),
        (b"p knf 3 1\nk 2 1 1 2 2 0\n", [([1, 2], 1, 2)]),
        (b"p knf 2 2\n1 1 -2 0\n1 -1 0\n", [([1, 1, -2], 1, 3), ([1, -1], 1, 2)]),
        (b"p knf 4 3\n3 0\nk 3 1 2 3 4 0\n-4 0 \n",
         [([3], 1, 1), ([-4], 1, 1), ([1, 2, 3, 4], 3, 4)]),
        # Of OPB.
        (b"-1 x1 -1 x2 -1 x3 >= -1 ;", [([1, 2, 3], 0, 1)]),
        (b"+1 x1 +1 ~x2 >= 1;", [([1, -2], 1, 2)]),
        (b"2 x1 +2 x2 +2 x3 >= 3 ;", [([1, 2, 3], 2, 3)]),
        (b"2 x1 +2 x2 +2 x3 = 3 ;", [([], 1, 0)]),
        (b"2 x1 +2 x2 +2 x3 = 4 ;", [([1, 2, 3], 2, 2)]),
        (b"-3 x1 -3 x2 -3 x3 = -3 ;", [([1, 2, 3], 1, 1)]),
        (b"3 x1 +5 x2 +3 ~x3 >= 3 ;", [([1, 2, -3], 1, 3)]),
        (b"2 x1 +4 x2 >= 1 ;", [([1, 2], 1, 2)]),
        (b"1 x1 -1 ~x1 +1 x2 >= 0 ;", [([1, 2], 1, 2)]),
        (b"2 x1 +2 x2 +1 x3 -1 x3 >= 2 ;", [([1, 2], 1, 2)]),
        (b"+0 x1 +1 x2 >= 1 ;", [([2], 1, 1)]),
        (b"+0 x1 >= 0 ;", []),
        (b"+0 x1 = 1 ;", [([], 1, 0)]),
        (b"5 x1 +3 x2 >= 8 ;", [([1], 1, 1), ([2], 1, 1)]),
        (b"-5 x1 -3 x2 = 0 ;", [([-1], 1, 1), ([-2], 1, 1)]),
        (b"5 x1 +3 x2 = 9 ;", [([], 1, 0)]),
        (b"1 x1\n +1 x2 +1 x3\n>= 2\n;", [([1, 2, 3], 2, 3)]),
        (b"9007199254740992 x1 >= 9007199254740992 ;", [([1], 1, 1)]),
    ],
)  # fmt: skip
def test_rows_have_one_form(text, rows):
    if text.endswith(b";"):
        text = b"* #variable= 4 #constraint= 1\n" + text
    assert list(lines_of(constraint_files.read(text, "a"))) == rows


KNF, PLUS, OPB = b"c x\np knf 4 2\n1 2 0\n", b"c x\np cnf+ 4 2\n1 2 0\n", (
    b"* #variable= 4 #constraint= 2\n* x\n+1 x1 >= 1 ;\n"
)  # fmt: skip
LAST = 4
"""The line after each of these."""


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (b"p knf 4\n1 0\n", 1, "expected 'p knf VARIABLES ROWS', two whole numbers"),
        (b"p knf 4 -1\n1 0\n", 1, "the header is 'p knf 4 -1'"),
        (b"c\np KNF 4 1\n1 0\n", 2, "the header is 'p KNF 4 1'"),
        (b"p knf 3000000000 1\n1 0\n", 1, "at most 2147483647 variables"),
        (b"p wknf 4 1 10\n1 0\n", 1, "the header is .p wknf 4 1 10."),
        (b"p wcard 4 1 10\n1 0\n", 1, "the header is .p wcard 4 1 10."),
        (KNF + b"g 3 1 2 3 4 0\n", LAST, "is a guarded row, which nqbench does not read"),
        (KNF + b"w 3 k 1 2 3 0\n", LAST, "has weights"),
        (KNF + b"\nc x\nk 2 1 2 3\n", LAST + 2, "the last row does not end with 0"),
        (KNF + b"3 4\nk 2 1 2 3 0\n", LAST + 1, "k in the middle of a row"),
        (KNF + b"k\n", LAST, "the last row does not end with 0"),
        (KNF + b"k k 1 2 0\n", LAST, "k needs a bound"),
        (KNF + b"k -2 1 2 0\n", LAST, "the bound -2 is not a whole number from 0"),
        (KNF + b"k 3 0\n", LAST, "a row without literals"),
        (KNF + b"k3 1 2 3 4 0\n", LAST, "write 'k BOUND LITERALS 0'"),
        (KNF + b"k 2 1 2.5 3 0\n", LAST, "'2.5' is not a literal"),
        (KNF + b"k 2 1 2 3 <= 0\n", LAST, "at-most-k constraint of CNF., not a clause"),
        (KNF + b"k 2 1 2 3000000000 0\n", LAST, "literal 3000000000 is beyond"),
        (KNF + b"k 2 1 2 99999999999999999999 0\n", LAST, "literal 99999999999999999999 is beyond"),
        (KNF + b"k 2 1 2 3 0 c x\n", LAST, "a comment needs a line of its own"),
        (KNF + b"p knf 4 2\n", LAST, "a second header"),
        (KNF + b"x 1 2 0\n", LAST, "an XOR clause"),
        (KNF + b"1 2 0\n3 0\n", 2, "the file holds 3 constraints, but the header says 2"),
        (KNF, 2, "the file holds 1 constraint, but the header says 2: unless the file was cut off"),
        (KNF + b"k 2 3 4 -9 0\n", 2, r"9 variables, but .* says 4 \(literal -9 in line 4\)"),
        (KNF + b"k 2 1 \0 3 0\n", LAST, "a NUL byte"),
        (PLUS + b"1 2 3 = 1\n", LAST, "'=' is no relation of CNF"),
        (PLUS + b"1 2 3 <= 1 0\n", LAST, "does not end after its bound, 1"),
        (PLUS + b"1 2 3 <=\n", LAST, "has no bound after '<='"),
        (PLUS + b"1 2 3 <=\n1 0\n", LAST, "has no bound after '<='"),
        (PLUS + b"1 2 3 < 1\n", LAST, "write 'LITERALS <= BOUND'"),
        (PLUS + b"3 4\n1 2 3 <= 1\n", LAST, "'3 4' ends neither with 0 nor with a bound"),
        (PLUS + b"<= 1\n", LAST, "'<= 1' has no literals"),
        (PLUS + b"1 2 3 <= 99999999999\n", LAST, "the bound 99999999999 is beyond"),
        (PLUS + b"w 2*1 3*2 <= 3\n", LAST, "has weights"),
        (PLUS + b"1 2\n", LAST, "the last row does not end with 0"),
        (PLUS + b"k 1 1 2 0\n", LAST, "a cardinality constraint"),
        (b"p cnf 3 1\n1 2 3 <= 1\n", 2, "an at-most-k constraint of CNF."),
        (OPB + b"min: +1 x1 ;\nmax: x1;", LAST + 1, "'max: x1;' is a second objective"),
        (b"* #variable= 1 #constraint= 0\nmin: +1 ;\n", 2, "a weight without a variable before ;"),
        (OPB + b"+1 x1~x2 >= 1 ;\n", LAST, "write a blank before ~x2"),
        (OPB + b"+1 x1-x2 >= 1 ;\n", LAST, "x1-x2 may be one name or a difference"),
        (OPB + b"[0] +1 x1 >= 1 ;\n", LAST, "0 is no cost"),
        (OPB + b"+1 x1 C1: >= 1 ;\n", LAST, "'C1:' is not a weight"),
        (OPB + "+1 ä >= 1 ;\n".encode(), LAST, "is not a weight"),
        (OPB + b"+1 x1 +1 >= 1 ;\n", LAST, "a weight without a variable before >="),
        (OPB + b"+1 1 x1 >= 1 ;\n", LAST, r"the variable before 1 is missing"),
        (OPB + b"+1 x1 >= 1\n+1 x2 >= 1 ;\n", LAST + 1, r"the row does not end with ; before \+1"),
        (OPB + b"+1 x1 >= 1\n", LAST, "the last row does not end with ;"),
        (OPB + b"+1 x1 => 1 ;\n", LAST, "'=>' is no relation of OPB"),
        (OPB + b"+1 x1 >= ;\n", LAST, "has no bound before ;"),
        (OPB + b"+1 x1 +1 x2;-1 x1>=2;\n", LAST, "has no >= or = with a bound before ;$"),
        (OPB + b"+1 x1 ;\n", LAST, "has no >= or = with a bound before ;"),
        (OPB + b";\n", LAST, "has no literals before ;"),
        (OPB + b"+1 x1 >= 1.5 ;\n", LAST, "1.5 is not a whole number"),
        (OPB + b"+2*3 >= 1 ;\n", LAST, "there is no variable before 3"),
        (OPB + b"+1 x1 >= 1 ; /* x\n", LAST, "is not a weight"),
        (OPB + b"+1 x99999999999 >= 1 ;\n", LAST, "literal x99999999999 is beyond"),
    ],
)  # fmt: skip
def test_malformed_files_are_refused_with_the_line(text, line, said):
    with pytest.raises(InputError, match=f"^a, line {line}: .*{said}"):
        constraint_files.read(text, "a")


WORDS = {
    b"p knf 3 2\n": [b"k", b"k 2 1 2 3 0\n", b"1 2 0\n", b"k 0", b"g 1", b"<="],
    b"p cnf+ 3 2\n": [b"<=", b">=", b"=", b"1 2 3 <= 1\n", b"1 2 0\n", b"<", b"w 1*2"],
    b"* #variable= 3 #constraint= 2\n": [b"+1 x1", b"-1 ~x2", b"2 x3", b">= 1 ;\n", b"= 1;", b"x",
                                         b"~", b">=", b"=", b";", b"min:", b"x0", b"* c\n"],
}  # fmt: skip
ANY_WORDS = [*b"0 1 2 -3 + - % 99999999999 \0".split(b" "), b"\n", b"\r\n", b"c x\n"]


@given(st.data())
def test_any_words_are_read_or_refused_with_a_line(data):
    header = data.draw(st.sampled_from(list(WORDS)))
    drawn = st.lists(st.sampled_from([*WORDS[header], *ANY_WORDS]), max_size=9)
    text = header + data.draw(st.sampled_from([b" ", b""])).join(data.draw(drawn))
    try:
        formula = constraint_files.read(text, "a", lenient=data.draw(st.booleans()))
    except InputError as error:
        line = error.place.line
        assert 1 <= line <= text.count(b"\n") + 1
    else:
        formula.check()
        assume(formula.num_variables <= 10)  # words without blanks are larger numbers
        has_weights = isinstance(formula, Constraints) and formula.weighted
        for suffix in (".opb",) if has_weights else SUFFIXES:
            again = constraint_files.read(constraint_files.text(formula, suffix).encode(), "a")
            assert models(again) == models(formula)


def test_the_line_is_right_in_a_long_file():
    for suffix, wrong in ((".knf", b"k -1 1 2 0"), (".cnf+", b"1 2 3 <= 5000000000"),
                          (".opb", b"+1 x1 +1 x2 >= ;")):  # fmt: skip
        rows = np.arange(1, 70_003, dtype=np.int32).reshape(-1, 3)
        formula = Constraints(CNF(70_002, 0, ()), (Rows.at_least(rows, 2),))
        lines = constraint_files.text(formula, suffix).encode().split(b"\n")
        assert len(b"\n".join(lines[:8000])) > words._PIECE
        lines[8000:8000] = [wrong]
        with pytest.raises(InputError, match=r"^a, line 8001: "):
            constraint_files.read(b"\n".join(lines), "a", lenient=True)
        lines[8000], lines[9000] = lines[8001], b"&"
        with pytest.raises(InputError, match=r"^a, line 9001: '&'"):
            constraint_files.read(b"\n".join(lines), "a", lenient=True)


@pytest.mark.parametrize("text", [b"p knf 2 5\nk 2 1 2 -3 0\n", b"p cnf+ 2 0\n1 2 -3 >= 2\n"])
def test_a_lenient_text_is_counted_anew(text):
    with pytest.raises(InputError, match="add --lenient"):
        constraint_files.read(text, "a")
    assert "header" in constraint_files.miscounted(text, "a")
    formula = constraint_files.read(text, "a", lenient=True)
    assert formula.num_variables == 3
    assert list(lines_of(formula)) == [([1, 2, -3], 2, 3)]


def test_a_right_header_is_not_miscounted_and_free_rows_count():
    for text in (
        b"p knf 9 2\nk 0 1 2 0\nk 2 1 2 3 0\n",
        b"p cnf+ 9 2\n1 2 <= 5\n1 2 3 >= 2\n",
        b"* #variable= 9 #constraint= 2 #equal= 0 intsize= 2\n1 x1 >= 0 ;1 x1 1 x2 1 x3 >= 2 ;",
    ):
        assert constraint_files.miscounted(text, "a") == ""
        assert constraint_files.read(text, "a").num_variables == 9


def test_the_content_says_what_a_file_is_not_its_name():
    texts = {"KNF": KNF + b"k 2 1 2 3 0", "CNF+": PLUS + b"1 2 3 <= 1", "OPB": OPB + b"1 x1 >= 1;"}
    for form, text in texts.items():
        digest = constraint_files.read(text, "x.cnf").digest()
        for variant in (
            text,
            b"\n " + text,
            *(text.replace(b"\n", end) for end in (b"\r\n", b"\r")),
        ):
            assert constraint_files.format_of(variant.replace(b"\r", b"\n")).name == form
            assert constraint_files.read(variant, "x.cnf").digest() == digest
    cnf = b"c a comment\np cnf 3 2\n1 2 0\n-3\n0\n"
    assert constraint_files.format_of(cnf) is None
    assert constraint_files.read(cnf, "a.knf").digest() == dimacs.read(cnf, "a").digest()
    for text in (b"", b"\xef\xbb\xbfp knf 1 1\n1 0\n"):
        with pytest.raises(InputError, match=r"^a (is|begins)"):
            constraint_files.read(text, "a")


def test_lines_for_model_counters_are_kept():
    formula = constraint_files.read(KNF + b"1 0\n", "a")
    kept = Annotations((b"c ind 1 2 0",), (b"c p show 1 0",))
    for suffix in (*SUFFIXES, ".cnf"):
        file = io.BytesIO()
        constraint_files.write(formula, f"a{suffix}", file, kept)
        again = constraint_files.annotations_of(file.getvalue())
        assert (*again.before, *again.after) == (*kept.before, *kept.after)
        assert constraint_files.read(file.getvalue(), "a").digest() == formula.digest()
    theirs = b"* #variable= 2 #constraint= 0\n* ind 1 2 0\n* other\n"
    assert constraint_files.annotations_of(theirs).after == (b"c ind 1 2 0",)


def test_the_suffix_says_how_a_file_is_written(tmp_path):
    formula = constraint_files.read(PLUS + b"1 2 3 <= 1\n", "a")
    firsts = {".knf": b"p knf 4 2", ".cnf+": b"p cnf+ 4 2", ".cnfp": b"p cnf+ 4 2",
              ".OPB": b"* #variable= 4 #constraint= 2"}  # fmt: skip
    for suffix, first in firsts.items():
        path = tmp_path / "sub" / f"a{suffix}.gz"
        constraint_files.write_file(formula, path)
        assert gzip.decompress(path.read_bytes()).splitlines()[0] == first
    # Under another suffix rows make it CNF+, which solvers know by its header.
    constraint_files.write_file(formula, tmp_path / "a.cnf")
    assert (tmp_path / "a.cnf").read_bytes().startswith(b"p cnf+ 4 2\n")
    with pytest.raises(InputError, match="WCNF has clauses only"):
        constraint_files.write_file(formula, tmp_path / "a.wcnf")
    constraint_files.write_file(formula.as_clauses(), tmp_path / "a.cnf")
    assert (tmp_path / "a.cnf").read_bytes().startswith(b"p cnf 4 4\n1 2 0\n")


NOTHING = np.zeros((1, 0), np.int32)


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        (Constraints(CNF(2, 2, ()), (Rows(NOTHING, 1, 1), Rows(NOTHING, 0, 0))), [([], 1, 0)]),
        (CNF(0, 0, (NOTHING,)), [([], 1, 0)]),
        (CNF(0, 0, ()), []),
    ],
)
def test_rows_without_literals_and_formulas_without_variables_are_written(formula, lines):
    for suffix in SUFFIXES:
        text = constraint_files.text(formula, suffix).encode()
        assert list(lines_of(constraint_files.read(text, "a"))) == lines
