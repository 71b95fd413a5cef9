"""The files that `tools/row_corpus.py` writes, and the campaign that measures them, in small."""

import shutil

import pytest
import row_corpus
import row_readers
from places import REFERENCE
from programs import needs

import nqbench
from nqbench.clauses import constraint_files

CAMPAIGN = REFERENCE / "constraints" / "campaign.toml"
EASY = {
    "colouring": (0, 0), "broken-clauses": (1, 1), "cut": (0, 1), "hitting-set": (0, 1),
    "schedule": (0, 0), "timetable": (0, 0), "vertex-cover": (0, 0),
}  # fmt: skip
"""Of some kinds, in each format, the numbers of a satisfiable and an unsatisfiable problem."""


def write(folder, kind, answer, number):
    stated = row_corpus.KINDS[kind]
    arguments = getattr(stated, f"{answer}isfiable")[number]
    path = folder / kind / f"{answer}{stated.suffix}"
    constraint_files.write_file(stated.state(*arguments), path)
    return path


@pytest.fixture
def files(tmp_path):
    """The easy files, in a folder beside the campaign."""
    shutil.copy(CAMPAIGN, tmp_path)
    for kind, numbers in EASY.items():
        for answer, number in zip(("sat", "unsat"), numbers, strict=True):
            write(tmp_path / "files", kind, answer, number)
    return tmp_path / "files"


def test_there_are_files_of_both_answers():
    names = [name for kind in row_corpus.KINDS.values() for name, _ in kind.files()]
    satisfiable = [name for name in names if name.startswith("sat-")]
    assert len(names) >= 60
    assert 0.4 < len(satisfiable) / len(names) < 0.6


@needs("clasp")
def test_others_read_the_files_and_agree_on_the_answer(files):
    formulas = nqbench.formulas(files)
    readings = [row_readers.reading(f.instance, f.formula(), files) for f in formulas]
    assert len(readings) == 2 * len(EASY)
    for formula, reading in zip(formulas, readings, strict=True):
        assert reading.is_alike, formula.instance
        assert reading.decided == {formula.place.name.partition(".")[0]}, formula.instance


def test_a_bound_that_is_read_otherwise_is_noticed(tmp_path):
    path = write(tmp_path, "cut", "sat", 0)
    formula = constraint_files.read(path.read_bytes(), "cut")
    (rows,) = formula.rows
    looser = row_corpus.Rows(rows.literals, rows.least, rows.most + 1)
    assert row_readers.rows_of(formula) != row_readers.rows_of(
        row_corpus.Constraints(formula.cnf, (looser,))
    )


def test_the_campaign_runs_in_small(files, tmp_path):
    records = nqbench.run(
        campaign_file=tmp_path / CAMPAIGN.name,
        encodings=["sequential", "pysat:totalizer", "pindakaas:totalizer", "native"],
        backends=["minicard"],
        results=tmp_path / "results",
    )
    assert len(records) == 2 * len(EASY) * 4
    assert set(records["outcome"]) == {"finished"}
    assert set(records["verdict"]) == {"verified"}
    answers = records.select("instance", "answer").unique().iter_rows()
    assert all(f"/{answer}." in instance for instance, answer in answers)
