"""Every program and library here that reads DIMACS reads what `encode` writes."""

import subprocess
import sys
from pathlib import Path

import cdclkit
import pytest
from programs import READERS_OF_DIMACS, needs
from pyeda.parsing import dimacs as of_pyeda
from pysat.formula import CNF as OF_PYSAT

from nqbench.clauses import dimacs

BESIDE_PYTHON = Path(sys.executable).parent
PROGRAMS = READERS_OF_DIMACS | {"clasp": ["clasp"]}


def of_pyeda_tree(text):
    """The clauses of the tree that PyEDA parses a text into."""
    kinds = {"not": lambda literal: -literal[1][2][0], "var": lambda literal: literal[2][0]}
    _, *clauses = of_pyeda.parse_cnf(text)
    return [[kinds[literal[0]](literal) for literal in clause[1:]] for clause in clauses]


def of_cdclkit(text):
    """Its literals are 2v and 2v + 1, with variables from 0."""
    clauses = cdclkit.parse_dimacs(text).clauses
    return [[(each // 2 + 1) * (-1 if each % 2 else 1) for each in clause] for clause in clauses]


LIBRARIES = {
    "pysat": lambda text: OF_PYSAT(from_string=text).clauses,
    "pyeda": of_pyeda_tree,
    "cdclkit": of_cdclkit,
    "nqbench": lambda text: list(map(list, dimacs.read(text.encode(), "it").clauses())),
}
ENCODINGS = ("pairwise", "product", "log", "sequential")


@pytest.fixture(params=ENCODINGS)
def written(nqbench, tmp_path, request):
    """A file that `encode` wrote; its map of variables is short, or a line for each option."""
    path = tmp_path / "queens.cnf"
    nqbench("encode", "--n", 6, "--encoding", request.param, "--output", path)
    assert path.read_text().startswith("c nqbench problem queens n=6\n")
    return path


@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in PROGRAMS])
def test_a_program_solves_it(name, written):
    done = subprocess.run([*PROGRAMS[name], written], capture_output=True, text=True)
    assert done.returncode in {10, 30}, done.stdout + done.stderr  # 30: clasp, which saw no end


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_reads_its_clauses(name, written):
    text = written.read_text()
    lines = text.partition("\np cnf ")[2].splitlines()[1:]
    clauses = [[int(word) for word in line.split()[:-1]] for line in lines]
    read = LIBRARIES[name](text)
    assert sorted(map(sorted, read)) == sorted(map(sorted, clauses))


def test_the_picosat_of_pyeda_solves_it(written):
    command = [BESIDE_PYTHON / "picosat", written]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.startswith("s SATISFIABLE\n"), done.stderr


def test_lines_for_model_counters_stay_after_the_header(nqbench, tmp_path):
    """Some counters allocate by the header before they read a weight."""
    (tmp_path / "a.cnf").write_text("p cnf 3 1\nc p show 1 2 0\n1 2 3 0\n")
    nqbench("encode", "a.cnf", "--encoding", "file", "--output", tmp_path / "b.cnf")
    assert (tmp_path / "b.cnf").read_text() == "p cnf 3 1\nc p show 1 2 0\n1 2 3 0\n"
