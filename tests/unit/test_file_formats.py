"""One table of the formats of formulas, from which all else that knows suffixes follows."""

import numpy as np
import pytest

from nqbench.checking.constraint_file import read_rows
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Rows
from nqbench.clauses.file_formats import FORMATS, ROW_SUFFIXES, SUFFIXES
from nqbench.cli.guesses import _FORMULA
from nqbench.encodings.program import Command
from nqbench.problems.families import cnf
from nqbench.show.use import Subject

ROWS = Constraints.of(3, Rows.exactly(np.array([[1, 2, 3]], np.int32), 1))


def test_a_suffix_is_of_one_format():
    assert len(set(SUFFIXES)) == len(SUFFIXES)
    assert set(ROW_SUFFIXES) == set(SUFFIXES) - {".cnf", ".dimacs"}


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_part_knows_every_suffix(suffix):
    constraint_files.check_name(f"a{suffix}.gz")
    assert suffix in cnf.SUFFIXES
    assert f"{suffix}.xz" in cnf.SUFFIXES
    assert _FORMULA.search(f"a{suffix.upper()}.gz")


@pytest.mark.parametrize("form", [form for form in FORMATS if form.has_rows], ids=lambda f: f.name)
def test_rows_are_written_read_and_given_to_encoders(form):
    for suffix in form.suffixes:
        text = constraint_files.text(ROWS, suffix).encode()
        assert constraint_files.states_rows(f"a{suffix}")
        assert constraint_files.read(text, "a").num_variables == 3
        assert constraint_files.format_of(text) is not None
        if form.header:
            assert text.startswith(f"p {form.header} ".encode())
        assert read_rows(text.splitlines()).num_variables == 3, "the judge reads it"
        assert Command.parse(f"exe:encode {{file{suffix}}}").gets_file


def test_formats_without_rows_are_no_rows():
    for form in FORMATS:
        for suffix in () if form.has_rows else form.suffixes:
            assert not constraint_files.states_rows(f"a{suffix}")
    assert isinstance(constraint_files.read(b"p cnf 2 1\n1 2 0\n", "a"), CNF)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_advised_for_files_names_files_of_their_format(suffix):
    """The page said `nqbench use FILE.cnf` for records of OPB."""
    import polars as pl

    for name, file in (
        (f"knapsack{suffix}", f"FILE{suffix}"),
        (f"hard/knapsack{suffix}.gz", f"FILE{suffix}"),
        ("knapsack", "FILE.cnf"),
    ):
        records = pl.DataFrame(
            {"n": [None], "family": ["cnf"], "instance": [name], "density": [None]},
            schema_overrides={"n": pl.Int64, "density": pl.Float64},
        )
        assert Subject.of_records(records).words == (file,)
