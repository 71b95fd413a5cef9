"""The programs of `nqbench use` for every backend and encoding, against the records of runs."""

import json
import shlex
import subprocess
import sys

import pytest

import nqbench
from nqbench.backends.base import Backend
from nqbench.backends.fit import why_not
from nqbench.backends.names import complete_backend_names
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Form, Task
from nqbench.encodings.base import Encoding
from nqbench.encodings.names import complete_encoding_names
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.queens import Queens
from nqbench.show.use import Subject, Use

BOARDS = [Queens(3), Queens(8)]
CLAUSES = {Form.CNF, Form.CNF_PLUS, Form.PROBLEM}
WITHOUT = {
    "astar", "backtracking", "constraint2", "construction", "exact", "highs", "min-conflicts",
    "pumpkin", "rc2",
}  # fmt: skip
"""Searches in nqbench, a library that needs its CSP, and those that are for weights."""

DRIVER = """
import contextlib, io, json, sys
for line in sys.stdin:
    program, argument = json.loads(line)
    sys.argv, printed = ["solve.py", argument], io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "solve.py", "exec"), {"__name__": "__main__"})
    print(json.dumps(printed.getvalue()))
    assert not {name for name in sys.modules if name.split(".")[0] == "nqbench"}
"""
"""Runs programs one after the other in a process that has not imported nqbench."""


def fitting(backend):
    encodings = map(Encoding.named, complete_encoding_names())
    solver = Backend.named(backend)
    return [e.name for e in encodings if not why_not(e, solver, Task.FIRST, BOARDS)]


def with_program(encoding, backend):
    use = Use.of(Subject.of_family("queens", 8), encoding, backend)
    return "import nqbench\n" not in use.program


def chosen():
    """Each backend with one encoding, and each encoding with one backend, by turns."""
    names = [name for name in complete_backend_names() if not why_unavailable(Backend.named, name)]
    pairs, left = [], dict.fromkeys(complete_encoding_names())
    for backend in names:
        encodings = [name for name in fitting(backend) if with_program(name, backend)]
        if encodings:
            encoding = next((name for name in encodings if name in left), encodings[0])
            left.pop(encoding, None)
            pairs.append((encoding, backend))
    every = [(e, b) for e in left for b in ("cadical195",) if e in fitting(b)]
    return [*pairs, *(pair for pair in every if with_program(*pair))]


def test_programs_give_the_answers_and_conflicts_of_the_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pairs = chosen()
    assert {backend for _, backend in pairs} >= {"cadical195", "pycosat", "minicard"}
    runs = [
        run
        for encoding, backend in pairs
        for run in Campaign(
            problems=BOARDS, encodings=[encoding], backends=[backend], repeat=1,
            limits=Limits(time_s=300),
        ).runs()
    ]  # fmt: skip
    records = list(runner.measured(runs))
    asked = []
    for record in records:
        use = Use.of(
            Subject.of_family("queens", record.n), record.encoding, record.backend,
            record.backend_version,
        )  # fmt: skip
        argument = str(record.n)
        if use.encode:
            argument = shlex.split(use.encode)[-1]
            nqbench.encode(record.n, record.encoding, output=argument)
        asked.append(json.dumps([use.program, argument]))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input="\n".join(asked), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for record, line in zip(records, done.stdout.splitlines(), strict=True):
        printed, what = json.loads(line), (record.encoding, record.backend, record.n)
        found = "s SATISFIABLE" in printed or "[(0, " in printed
        assert found == (record.answer == "sat"), (what, printed)
        if record.conflicts is not None:
            assert f" {record.conflicts} conflicts" in printed, (what, printed)
        if "(row, column): " in printed:
            squares = [divmod(variable - 1, record.n) for variable in record.queens]
            assert printed.endswith(f"column): {' '.join(map(str, squares))}\n"), what


@pytest.mark.parametrize(
    ("encoding", "backend"),
    [
        ("product", "cadical195"),
        ("level2", "minisat22"),
        ("cover", "cp-sat-cover"),
        ("csp", "backtracking"),
    ],
)
def test_use_gives_the_answers_and_conflicts_of_the_records(encoding, backend):
    records = nqbench.run([3, 8], encodings=encoding, backends=backend, repeat=1)
    for record in records.iter_rows(named=True):
        used = nqbench.use(record["n"], encoding=encoding, backend=backend)
        assert (used.answer, used.counters.conflicts) == (record["answer"], record["conflicts"])
        assert bool(used) == (used.answer == "sat")


def test_only_searches_without_a_file_have_no_program():
    names = {
        name
        for name in complete_backend_names()
        if Backend.named(name).takes in CLAUSES
        and not Backend.named(name).needs_path
        and Backend.named(name).snippet(Backend.named(name).takes) is None
    }
    assert names <= WITHOUT
