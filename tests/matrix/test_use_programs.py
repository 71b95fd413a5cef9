"""The programs of `nqbench use` for every backend and encoding, against the records of runs."""

import ast
import gzip
import json
import os
import shlex
import subprocess
import sys

import pytest
from places import CSPLIB

import nqbench as library
from nqbench.backends.base import Backend
from nqbench.backends.fit import why_not
from nqbench.backends.permission import complete_backend_names
from nqbench.campaign import runner
from nqbench.campaign.grid import Campaign
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Form, Task
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.plugins.availability import why_unavailable
from nqbench.problems.queens import Queens
from nqbench.show.use import Subject, Use

pytestmark = pytest.mark.usefixtures("called_directly")

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
            library.encode(record.n, record.encoding, output=argument)
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
    records = library.run([3, 8], encodings=encoding, backends=backend, repeat=1)
    for record in records.iter_rows(named=True):
        used = library.use(record["n"], encoding=encoding, backend=backend)
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


FORMS = {
    "plain.cnf": b"c M\xfcller\np cnf 4 4\n1 2 0\n-1 3 0\n-3 4 0\n-2 -4 0\n",
    "tab.cnf": b"p\tcnf\t4 4\n1\t2 0\n-1 3 0\n-3 4 0\n-2 -4 0\n",
    "lines.cnf": b"p  cnf 4 4\n1\n2 0 -1 3 0 -3\n4 0\n-2 -4 0\n%\n0\n",
    "windows.dimacs": b"  c x\r\n p cnf 4 4\r\n 1 2 0\r\n-1 3 0\r\n-3 4 0\r\ncomment\r\n-2 -4 0",
    "mac.cnf": b"p cnf 4 4\r1 2 0\r-1 3 0\r-3 4 0\r-2 -4 0\r",
    "rows.knf": b"p knf\t4 3\nk 2 1 2 3 4 0\nk 1 -1 -2 -3 0\n-2 -4 0\n",
    "rows.cnf+": b"p cnf+ 4 3\n1 2 3 4 >= 2\n1 2 3 <= 2\n-2 -4 0\n",
    "rows.opb": b"* #variable= 4 #constraint= 2\n+1 x1 +1 x2 +1 x3 +1 x4 >= 2 ;\n"
    b"-1 x2 -1 x4 >= -1 ;\n",
    "packed.cnf.gz": gzip.compress(b"p cnf 4 4\n1 2 0\n-1 3 0\n-3 4 0\n-2 -4 0\n"),
}
"""Formulas that have a model, in each form of a file that `use` takes."""

BOARDS_IN_FILES = {
    "board.txt": "....\n...Q\n....\n....\n",
    "board.json": '{"n": 4, "placed": [[1, 3]]}',
    "board.param": "n = 5\nnumdiags = 2\ndiags = [[0, 0], [8, 0]]\n",
}

NAMES = [
    'x")[0]) if 0 else open("pwned","w").write("x");used=print;#',
    "x'); open('pwned', 'w').write('x'); ('",
    '"""; open("pwned", "w"); """',
    "x.txt",
    "-rf",
    "a{n}{cnf}{result}{proof}{0}",
    "new\nline",
    "\x1b[2J\ttab",
    os.fsdecode(b"M\xfcller"),
    "sp ace",
    "üñ",
    "back\\slash\\",
    "$(touch pwned)`touch pwned`",
    "%s%d",
    "",
]
"""Names of files without their suffixes. What creates a file `pwned` was executed."""


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def run_as_its_head_says(folder, program, nqbench):
    """What a program prints, after the commands that its docstring names, as Bash reads them."""
    (folder / "solve.py").write_text(program)
    steps = [
        line.strip() for line in ast.get_docstring(ast.parse(program), clean=False).splitlines()
        if line.startswith(("    nqbench encode ", "    python solve.py "))
    ]  # fmt: skip
    assert steps[-1].startswith("python "), steps
    for step in steps:
        read = ["bash", "-c", f"printf '%s\\0' {step}"]
        words = subprocess.run(read, cwd=folder, capture_output=True, check=True).stdout
        called, *arguments = map(os.fsdecode, words.split(b"\0")[:-1])
        if called == "nqbench":
            done = nqbench(*arguments)
        else:
            done = subprocess.run(
                [sys.executable, *arguments], cwd=folder, capture_output=True, text=True
            )
        assert done.returncode == 0, (step, done.stderr)
    return done.stdout


def with_names():
    """Each form of a file, each name and each backend, by turns."""
    combinations = [
        (None, "cadical195"), ("product", "cadical195"), (None, "minisat"), (None, "kissat"),
        ("sequential", "pycosat"), (None, "pycosat"), ("product", "cryptominisat"),
        (None, "pyeda"), ("native", "minicard"), ("native", "cp-sat"), (None, "clasp"),
        ("totalizer", "glucose4"),
    ]  # fmt: skip
    rows = [pair for pair in combinations if pair[0] in {"native", "totalizer"}]
    for turn in range(len(NAMES)):  # so many that each is used
        form = list(FORMS)[turn % len(FORMS)]
        pairs = rows if form.startswith("rows") else combinations
        yield NAMES[turn % len(NAMES)], form, *pairs[turn % len(pairs)]


@pytest.mark.parametrize("case", list(with_names()), ids=lambda case: f"{case[1]}-{case[3]}")
def test_a_program_for_a_file_of_any_name_runs_as_its_head_says(nqbench, tmp_path, case):
    name, form, encoding, backend = case
    if why_unavailable(Backend.named, backend):
        pytest.skip(f"{backend} is not installed")
    path = written(tmp_path, f"{name}.{form.partition('.')[2]}", FORMS[form])
    chosen = [] if encoding is None else ["--encoding", encoding]
    made = nqbench("use", f"--cnf={path}", *chosen, "--backend", backend, "-o", "made.py")
    assert made.returncode == 0, made.stderr
    printed = run_as_its_head_says(tmp_path, (tmp_path / "made.py").read_text(), nqbench)
    assert "s SATISFIABLE" in printed
    model = [int(word) for word in printed.split("\nv ")[1].split() if word != "0"]
    true = {literal for literal in model if literal > 0}
    assert true <= {1, 2, 3, 4}
    if form.startswith("rows"):
        assert len(true) >= 2
        assert not true >= {2, 4}
    else:
        clauses = [(1, 2), (-1, 3), (-3, 4), (-2, -4)]
        assert all(any((abs(v) in true) == (v > 0) for v in clause) for clause in clauses)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("place", range(0, len(NAMES), 2))
def test_a_program_for_a_board_of_any_name_solves_that_board(
    nqbench, tmp_path, place, monkeypatch, capsys
):
    form = list(BOARDS_IN_FILES)[place % len(BOARDS_IN_FILES)]
    path = written(tmp_path, NAMES[place] + form.removeprefix("board"), BOARDS_IN_FILES[form])
    chosen = ["--encoding", "level2", "--backend", "cadical195"]
    made = nqbench("use", f"--file={path}", *chosen, "-o", "made.py")
    assert made.returncode == 0, made.stderr
    monkeypatch.chdir(tmp_path)
    exec(compile((tmp_path / "made.py").read_text(), "made.py", "exec"), {})
    assert capsys.readouterr().out.startswith("sat ")
    assert not (tmp_path / "pwned").exists()


def test_a_program_for_an_instance_of_csplib_excludes_the_same_diagonals(nqbench, tmp_path):
    written(tmp_path, "a.param", min(CSPLIB.glob("*.param")).read_text())
    for diagonals in (0, 3):
        named = ["--file", "a.param", "--diagonals", diagonals]
        program = nqbench("use", *named, "--encoding", "level2", "--backend", "cadical195")
        (line,) = [line for line in program.stdout.splitlines() if line.startswith("used = ")]
        assert f'problems_of("queens", files="a.param", diagonals={diagonals})' in line
    file = tmp_path / "a.param"
    (three,) = library.problems_of("queens", files=file, diagonals=3)
    (every,) = library.problems_of("queens", files=file)
    assert len(three.blocked) < len(every.blocked)
