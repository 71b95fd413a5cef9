"""Campaigns and races on formulas in other at-most-one schemes."""

import polars as pl
import pytest
from addons import needs_addon

import nqbench
from nqbench.clauses import dimacs
from nqbench.common.errors import InputError
from nqbench.encodings.base import Encoding
from nqbench.plugins.loading import encoding_names

KEPT = ["file", "file:shuffle=1"]
(SMALL,) = nqbench.cnfgen("php 3 2")
SCHEMES = [
    each.name
    for each in map(Encoding.named, encoding_names())
    if each.rewrites and not each.why_not(SMALL)
]

FORMULAS = {
    "php 5 5": True,
    "php 6 5": False,
}
"""Whether each formula has a model, by theory."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The formulas as files: CNFgen, which takes 0.3 s, is asked once for each."""
    folder = tmp_path_factory.mktemp("formulas")
    for formula in nqbench.cnfgen(*FORMULAS):
        nqbench.encode(formula, "file", output=folder / f"{formula.instance}.cnf")
    return nqbench.formulas(folder)


def test_answers_in_every_scheme_are_right_and_checked(files):
    """Every scheme with a solver that writes proofs; one scheme of each kind with a solver that
    writes none, and with one that takes constraints.
    """
    few = [*KEPT, "pairwise", "sequential", "native"]

    def measured(schemes, backends):
        return nqbench.run(
            files,
            amo=schemes,
            backends=backends,
            repeat=1,
            time_limit=20,
            jobs=2,
        )

    assert set(few) <= {*KEPT, *SCHEMES}
    records = measured([*KEPT, *SCHEMES], "cadical195")
    assert set(records["encoding"]) == {"file", "file:shuffle=1", *SCHEMES}
    others = measured(few, "minisat22,minicard")
    unfit = 1  # native x minisat22
    assert records.height == len(FORMULAS) * (len(SCHEMES) + 2)
    assert others.height == len(FORMULAS) * (len(few) * 2 - unfit)
    for found in (records, others):
        assert set(found["verdict"]) == {"verified"}, found.filter(pl.col("verdict") != "verified")
        for name, satisfiable in FORMULAS.items():
            answers = found.filter(pl.col("instance").str.contains(name, literal=True))["answer"]
            assert set(answers) == {"sat" if satisfiable else "unsat"}


@pytest.fixture
def boards(tmp_path):
    """A torus, whose lines are all of eight squares, with auxiliary variables and without."""
    (torus,) = nqbench.problems_of("torus", 8)
    for name in ("pairwise", "sequential"):
        text = dimacs.text(Encoding.named(name).clauses(torus))
        (tmp_path / f"{name}.cnf").write_text(text)
    return nqbench.formulas(tmp_path)


def test_a_scheme_makes_the_same_formula_of_every_scheme(boards):
    """But for the names of variables: as many clauses on as many variables that occur."""
    records = nqbench.run(boards, amo="product", backends="minisat22", repeat=1)
    assert set(records["encoding"]) == {"file", "file:shuffle=1", "product"}
    records = records.filter(pl.col("encoding") != "file:shuffle=1")
    clauses = records.pivot(on="instance", index="encoding", values="clauses")
    kept, product = clauses.sort("encoding").select(pl.exclude("encoding")).rows()
    assert kept[0] != kept[1]
    assert product[0] == product[1]


def test_unsat_is_checked_later_too(tmp_path):
    records = nqbench.run(
        nqbench.cnfgen("php 6 5"), amo="file:shuffle=2,native", backends="cadical195,minicard",
        repeat=1, check="later", results=tmp_path,
    )  # fmt: skip
    assert set(records["verdict"]) == {"unchecked"}
    assert set(records["encoding"]) == {"file", "file:shuffle=2", "native"}
    checked = nqbench.check(tmp_path)
    assert set(checked["verdict"]) == {"verified"}


def test_the_former_name_of_the_scheme_of_the_file_is_accepted_and_says_so(boards):
    with pytest.warns(UserWarning, match="the scheme 'keep' is now called 'file'"):
        records = nqbench.run(boards, amo="keep", backends="minisat22", repeat=1)
    assert set(records["encoding"]) == {"file"}


@needs_addon("race")
def test_a_race_looks_for_the_best_scheme(boards, tmp_path):
    standing = nqbench.race(
        boards, amo="file,product", backends="minisat22", results=tmp_path / "results"
    )
    assert set(standing.records["encoding"]) == {"file", "file:shuffle=1", "product"}
    assert set(standing.records["verdict"]) <= {"verified", "unchecked"}


@pytest.mark.parametrize(
    ("problems", "stated", "message"),
    [
        ([4], {"amo": "product"}, "amo` is for formulas"),
        ("formulas", {"encodings": "product"}, "formulas have no encoding"),
        ("formulas", {"amo": "log"}, "does not apply to"),
        ("formulas", {"amo": "product:symmetry=half"}, "is for boards of queens"),
        ("formulas", {"amo": "native"}, "makes a cnf\\+: none of the backends minisat22"),
        ("formulas", {"amo": "file:shuffle=-1"}, "shuffle is '-1'"),
    ],
)
def test_what_does_not_fit_is_refused(boards, problems, stated, message):
    problems = boards if problems == "formulas" else problems
    with pytest.raises(InputError, match=message):
        nqbench.run(problems, backends="minisat22", **stated)
