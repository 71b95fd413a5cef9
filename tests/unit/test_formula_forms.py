"""What is read as a formula: the corpus, its table on a page, and what PySAT reads."""

import re

import pytest
from formula_corpus import CASES, LENIENT, READ, REFUSED, content, others
from places import ROOT
from pysat.formula import CNF as PySATFormula

from nqbench.clauses import constraint_files
from nqbench.common.errors import InputError

PAGE = (ROOT / "docs" / "reference" / "formulas.md").read_text()


def shown(case):
    return f"{case['form'][:30]}-{case['text'][:24]!r}"


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("case", READ, ids=shown)
def test_every_accepted_form_is_read(case, lenient):
    formula = constraint_files.read(content(case), "a.cnf", lenient=lenient)
    assert list(formula.clauses()) == case["clauses"]
    assert formula.num_variables == case["variables"]
    assert constraint_files.miscounted(content(case), "a.cnf") == ""


@pytest.mark.parametrize("case", [c for c in READ + LENIENT if others(c, "pysat")], ids=shown)
def test_pysat_reads_the_same_clauses(case):
    assert PySATFormula(from_string=content(case).decode("latin-1")).clauses == case["clauses"]


@pytest.mark.parametrize("case", REFUSED, ids=shown)
def test_every_refused_form_is_named_in_one_line(case):
    with pytest.raises(InputError) as error:
        constraint_files.read(content(case), "a.cnf")
    said = str(error.value)
    assert said.startswith(("a.cnf, line ", "a.cnf is ", "a.cnf begins "))
    assert case["message"] in said
    assert said.isprintable()


@pytest.mark.parametrize("case", LENIENT, ids=shown)
def test_a_wrong_header_is_counted_anew_if_asked(case):
    formula = constraint_files.read(content(case), "a.cnf", lenient=True)
    assert list(formula.clauses()) == case["clauses"]
    assert formula.num_variables == case["variables"]
    assert "header" in constraint_files.miscounted(content(case), "a.cnf")


@pytest.mark.parametrize("case", [c for c in REFUSED if c not in LENIENT], ids=shown)
def test_nothing_else_is_read_if_the_header_may_be_wrong(case):
    with pytest.raises(InputError):
        constraint_files.read(content(case), "a.cnf", lenient=True)


def test_the_page_has_the_forms_of_the_corpus():
    """Each row has an example, and each example is in a row of the right table."""
    read, refused = PAGE.split("## What is refused")
    rows = [
        {line.split(" | ")[0].removeprefix("| ") for line in re.findall(r"(?m)^\| .*", table)}
        for table in (part[part.index("| form |") :] for part in (read, refused))
    ]
    assert rows[0] == {"form", "---", *(case["form"] for case in READ)}
    assert rows[1] == {"form", "---", *(case["form"] for case in REFUSED)}
    assert len(READ) + len(REFUSED) == len(CASES)
