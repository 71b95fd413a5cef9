"""The files that `tools/row_corpus.py` writes, and the campaign that measures them, in small."""

import importlib
import re
import shutil
from itertools import product

import numpy as np
import pytest
import row_claims
import row_corpus
from places import REFERENCE
from programs import needs

import nqbench
from nqbench.clauses import constraint_files

CAMPAIGN = REFERENCE / "constraints" / "campaign.toml"
EASY = ["colouring", "schedule", "timetable"]
"""Kinds of each format, whose first file of each answer takes every solver less than a second."""

ENCODINGS = [
    "totalizer", "totalizer:order=random", "pysat:totalizer", "pindakaas:totalizer", "native",
]  # fmt: skip


def write(folder, kind, answer):
    stated = row_corpus.KINDS[kind]
    every = (file for file in stated.files() if file[0].startswith(f"{answer}-"))
    name, arguments = next(every)
    path = folder / kind / name
    constraint_files.write_file(stated.state(*arguments), path)
    return path


@pytest.fixture
def row_readers():
    """The script. It imports CPMpy, which each process that a test forks would have to copy if this
    module imported it.
    """
    return importlib.import_module("row_readers")


@pytest.fixture
def files(tmp_path):
    """The easy files, in a folder beside the campaign."""
    shutil.copy(CAMPAIGN, tmp_path)
    for kind, answer in product(EASY, ("sat", "unsat")):
        write(tmp_path / "files", kind, answer)
    return tmp_path / "files"


def test_there_are_files_of_both_answers():
    names = [name for kind in row_corpus.KINDS.values() for name, _ in kind.files()]
    satisfiable = [name for name in names if name.startswith("sat-")]
    assert len(names) >= 60
    assert 0.4 < len(satisfiable) / len(names) < 0.6


@needs("clasp")
def test_others_read_the_files_and_agree_on_the_answer(files, row_readers):
    importlib.import_module("cpmpy").boolvar()  # as somebody may have made before
    formulas = nqbench.formulas(files)
    readings = [row_readers.reading(f.instance, f.formula(), files) for f in formulas]
    assert len(readings) == 2 * len(EASY)
    for formula, reading in zip(formulas, readings, strict=True):
        answer = formula.place.name.partition("-")[0]
        assert reading.is_alike, formula.instance
        assert reading.answers == (answer,) * len(row_readers.SOLVERS), formula.instance


def test_a_bound_that_is_read_otherwise_is_noticed(tmp_path, row_readers):
    path = write(tmp_path, "cut", "sat")
    formula = constraint_files.read(path.read_bytes(), "cut")
    (rows,) = formula.rows
    looser = row_corpus.Rows(rows.literals, rows.least, rows.most + 1)
    assert row_readers.rows_of(formula) != row_readers.rows_of(
        row_corpus.Constraints(formula.cnf, (looser,))
    )


def test_the_campaign_and_its_tables_work_in_small(files, tmp_path, capsys):
    records = nqbench.run(
        campaign_file=tmp_path / CAMPAIGN.name,
        encodings=ENCODINGS,
        backends=["minicard"],
        results=tmp_path / "results",
    )
    assert len(records) == 2 * len(EASY) * len(ENCODINGS)
    assert set(records["outcome"]) == {"finished"}
    assert set(records["verdict"]) == {"verified"}
    answers = records.select("instance", "answer").unique().iter_rows()
    assert all(f"/{answer}-" in instance for instance, answer in answers)
    row_claims.main(tmp_path / "results")
    lines = capsys.readouterr().out.splitlines()
    for answer in ("sat", "unsat"):
        (line,) = [line for line in lines if line.startswith(f"| totalizer | random | {answer} ")]
        assert line.endswith(f"/{len(EASY)} |")
    by_share = [re.findall(r"/(\d+) \|$", line) for line in lines if "native x" in line]
    assert sum(int(files) for counts in by_share for files in counts) == 2 * len(EASY)


@pytest.mark.parametrize(
    ("rows", "share"),
    [
        (row_corpus.Rows.at_most(np.array([[1, 2, 3, 4, 5]], np.int32), 1), 0.2),
        (row_corpus.Rows.at_least(np.array([[1, 2, 3, 4, 5]], np.int32), 3), 0.4),
        (row_corpus.Rows.exactly(np.array([[1, 2, 3, 4, 5]], np.int32), 4), 0.2),
    ],
)
def test_k_is_counted_in_the_smaller_direction(rows, share):
    shorter = row_corpus.Rows.at_most(np.array([[1, 2, 3, 4]], np.int32), 2)
    n, k = row_corpus.Constraints.of(5, shorter, rows).longest_row
    assert k / n == share
