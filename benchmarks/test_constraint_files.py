"""Reading and writing rows of literals, against PySAT's CNF+.

    tox -e bench -- benchmarks/test_constraint_files.py

200,000 rows of at most 3 of 10 literals, in every format. PySAT reads and writes one of them.
"""

import numpy as np
import pytest
from pysat.formula import CNFPlus

from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Constraints, Rows

SUFFIXES = {"knf": ".knf", "cnf-plus": ".cnf+", "opb": ".opb"}
LENGTH, BOUND = 10, 3


@pytest.fixture(scope="module")
def rows(scaled):
    random = np.random.default_rng(61)
    count = scaled(200_000, 100)
    variables = random.integers(0, 1000, (count, LENGTH)) * LENGTH + np.arange(1, LENGTH + 1)
    return (variables * random.choice([1, -1], variables.shape)).astype(np.int32)


@pytest.fixture(scope="module")
def formulas(rows):
    theirs = CNFPlus()
    for row in rows.tolist():
        theirs.append([row, BOUND], is_atmost=True)
    return Constraints(CNF(1000 * LENGTH, 0, ()), (Rows.at_most(rows, BOUND),)), theirs


@pytest.fixture
def measure(benchmark, side_of):
    """Measure one side of a figure."""

    def pedantic(figure, side, function, *arguments):
        benchmark.group = f"{figure}, PySAT's CNFPlus"
        benchmark.extra_info["side"] = side
        benchmark.pedantic(function, arguments, rounds=3, warmup_rounds=1)
        side_of(figure, side)

    return pedantic


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("name", SUFFIXES)
def test_read(measure, formulas, name, side, tmp_path):
    path = tmp_path / f"rows{SUFFIXES[name] if side == 'nqbench' else '.cnf+'}"
    constraint_files.write_file(formulas[0], path)
    figure = f"constraint-files/read-{name}"
    if side == "nqbench":
        measure(figure, side, constraint_files.read, path.read_bytes(), "rows")
    else:
        measure(figure, side, CNFPlus, str(path))


@pytest.mark.parametrize("side", ["nqbench", "peer"])
@pytest.mark.parametrize("name", SUFFIXES)
def test_write(measure, formulas, name, side, tmp_path):
    ours, theirs = formulas
    figure, path = f"constraint-files/write-{name}", tmp_path / f"rows{SUFFIXES[name]}"
    if side == "nqbench":
        measure(figure, side, constraint_files.write_file, ours, path)
    else:

        def write():
            # Their to_file raises a TypeError for CNF+ in 1.9.dev24.
            with path.open("w") as file:
                theirs.to_fp(file)

        measure(figure, side, write)


def test_pysat_reads_the_same_rows(formulas, rows, tmp_path):
    """The peers do the same work."""
    constraint_files.write_file(formulas[0], tmp_path / "rows.cnf+")
    theirs = CNFPlus(from_file=str(tmp_path / "rows.cnf+"))
    assert len(theirs.atmosts) == len(rows)
    again = constraint_files.read((tmp_path / "rows.cnf+").read_bytes(), "rows")
    assert again.num_rows == len(rows)
