"""Whether other programs read the files of `tools/row_corpus.py` as nqbench does, and answer alike.

    python tools/row_readers.py FOLDER

Each file is written as CNF+ and as OPB as well. PySAT reads the CNF+, and its clauses and rows are
compared one by one; its MiniCard solves what it read. clasp and CPMpy read the OPB; CP-SAT solves
what CPMpy read. Each solver has 60 s. Needs PySAT, CPMpy with OR-Tools, and the program clasp.
"""

import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from arguments import paths
from cpmpy.tools.io.opb import load_opb
from pysat.formula import CNFPlus
from pysat.solvers import Minicard

from nqbench import formulas, isolate
from nqbench.clauses import constraint_files
from nqbench.clauses.cnf import CNFBuilder
from nqbench.clauses.constraints import Constraints, Formula
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome

LIMIT_S = 60
SAT, UNSAT, UNKNOWN = "sat", "unsat", "-"
SOLVERS = ("clasp", "MiniCard", "CP-SAT")

Row = tuple[tuple[int, ...], int]
"""Sorted literals, at most so many of which are true."""


@dataclass(frozen=True)
class Reading:
    """How a file was read: whether nqbench and PySAT read the same rows from it and its copies, and
    the answer of each of `SOLVERS`.
    """

    kind: str
    is_alike: bool
    answers: tuple[str, ...]

    @property
    def decided(self) -> set[str]:
        """The different answers, apart from `unknown`: one, if all agree."""
        return set(self.answers) - {UNKNOWN}


def readings(folder: Path) -> Iterable[Reading]:
    """Yield how each file in a folder and its subfolders is read, in order of their paths."""
    with tempfile.TemporaryDirectory() as copies:
        for file in formulas(folder):
            yield reading(file.instance, file.formula(), Path(copies))


def reading(name: str, formula: Formula, copies: Path) -> Reading:
    """How copies of a formula in other formats are read."""
    texts = {suffix: copies / f"copy{suffix}" for suffix in (".knf", ".cnf+", ".opb")}
    for text in texts.values():
        constraint_files.write_file(formula, text)
    expected = rows_of(formula)
    read = (constraint_files.read(text.read_bytes(), text.name) for text in texts.values())
    is_alike = all(rows_of(copy) == expected for copy in read)
    is_alike &= rows_of_pysat(texts[".cnf+"]) == expected
    for_cpmpy = copies / "doubled.opb"
    constraint_files.write_file(with_units_doubled(formula), for_cpmpy)
    return Reading(
        kind=name.partition("/")[0],
        is_alike=is_alike,
        answers=(
            by_clasp(texts[".opb"]),
            within_limit(lambda: by_minicard(texts[".cnf+"])),
            within_limit(lambda: by_cp_sat(for_cpmpy)),
        ),
    )


def with_units_doubled(formula: Formula) -> Constraints:
    """The same formula with each unit clause as a clause of twice the same literal: CPMpy's reader
    does not accept rows of one term.
    """
    stated = formula if isinstance(formula, Constraints) else Constraints(formula)
    cnf = CNFBuilder(num_main=stated.num_variables)
    for block in stated.cnf.blocks:
        cnf.add(np.repeat(block, 2, axis=1) if block.shape[1] == 1 else block)
    return Constraints(cnf.build(), stated.rows)


def rows_of(formula: Formula) -> Counter[Row]:
    """The clauses and rows as at most k literals each, and how often each is stated."""
    stated = formula if isinstance(formula, Constraints) else Constraints(formula)
    return counted(
        stated.cnf.clauses(),
        (
            (literals, rows.most)
            for each in stated.rows
            for rows in each.upper()
            for literals in rows.literals.tolist()
        ),
    )


def rows_of_pysat(path: Path) -> Counter[Row]:
    """The same of a file of CNF+ that PySAT reads."""
    read = CNFPlus(from_file=str(path))
    return counted(read.clauses, read.atmosts)


def counted(
    clauses: Iterable[Sequence[int]], rows: Iterable[tuple[Sequence[int], int]]
) -> Counter[Row]:
    """A clause is at most all but one of its negations."""
    at_most = Counter((tuple(sorted(literals)), k) for literals, k in rows)
    at_most.update(
        (tuple(sorted(-literal for literal in clause)), len(clause) - 1) for clause in clauses
    )
    return at_most


def by_clasp(path: Path) -> str:
    """The answer of clasp to a file of OPB."""
    command = ["clasp", "--quiet=2", f"--time-limit={LIMIT_S}", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    return {"s SATISFIABLE": SAT, "s UNSATISFIABLE": UNSAT}.get(
        next((line for line in done.stdout.splitlines() if line.startswith("s ")), ""), UNKNOWN
    )


def by_minicard(path: Path) -> str:
    """The answer of MiniCard to a file of CNF+ as PySAT reads it."""
    with Minicard(bootstrap_with=CNFPlus(from_file=str(path))) as solver:
        return SAT if solver.solve() else UNSAT


def by_cp_sat(path: Path) -> str:
    """The answer of CP-SAT to a file of OPB as CPMpy reads it."""
    with warnings.catch_warnings():
        # Variables that the caller has made in CPMpy are in no constraint of this file.
        warnings.filterwarnings("ignore", "Loading a model whilst there are already variables")
        model = load_opb(str(path))
    if model.solve(solver="ortools", num_workers=1):
        return SAT
    return UNSAT if model.status().exitstatus.name == "UNSATISFIABLE" else UNKNOWN


def within_limit(answer: Callable[[], str]) -> str:
    """The answer of a solver that has no limit itself, in a separate process."""
    ending = isolate.call(lambda: answer().encode(), Limits(time_s=float(LIMIT_S)))
    if ending.outcome is Outcome.CRASHED:
        raise RuntimeError(ending.message)
    return ending.payload.decode() if ending.outcome is Outcome.FINISHED else UNKNOWN


def table(rows: Iterable[Reading]) -> Iterable[str]:
    """A line for each kind of file: how many, their answers, how many were read alike, and how many
    each solver decided.
    """
    heading = ("kind", "files", "sat", "unsat", "read alike", *SOLVERS, "differ")
    yield f"| {' | '.join(heading)} |"
    yield "| --- " * len(heading) + "|"
    for kind, group in groupby(rows, key=lambda row: row.kind):
        files = list(group)
        numbers = [
            len(files),
            sum(file.decided == {SAT} for file in files),
            sum(file.decided == {UNSAT} for file in files),
            sum(file.is_alike for file in files),
            *(sum(file.answers[at] != UNKNOWN for file in files) for at in range(len(SOLVERS))),
            sum(len(file.decided) > 1 for file in files),
        ]
        yield f"| {kind} | {' | '.join(map(str, numbers))} |"


def main(folder: Path) -> int:
    """Print the table. Returns 1 if a file is read in two ways, or has two answers."""
    files = []
    for file in readings(folder):
        files.append(file)
        print(f"\r{len(files)} files", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(*table(files), sep="\n")
    return int(any(not file.is_alike or len(file.decided) > 1 for file in files))


if __name__ == "__main__":
    sys.exit(main(*paths(__doc__, "FOLDER")))
