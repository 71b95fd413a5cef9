"""The README begins with a command for each kind of user. Each works as it stands there, on small
boards.
"""

import re
import shlex
import stat
import sys

import pytest
from addons import needs_addon
from places import ROOT

README = (ROOT / "README.md").read_text()
WAYS = re.findall(
    r"^\| ([^|]+) \| `(nqbench [^|]+)` \| \[[^]]+\]\(([^)]+)\) \|$", README, re.MULTILINE
)
OF_ADDON = {"race": "race", "grade": "grading"}
MODEL = """* #variable= 2 #constraint= 1
min: +1 x1 +2 x2 ;
+1 x1 +1 x2 >= 1 ;
"""
SOLVER = """#!/usr/bin/env python3
import sys
from pysat.formula import CNF
from pysat.solvers import Minisat22

with Minisat22(bootstrap_with=CNF(from_file=sys.argv[-1])) as solver:
    found = solver.solve()
    print("s SATISFIABLE" if found else "s UNSATISFIABLE")
    if found:
        print("v", *solver.get_model(), 0)
sys.exit(10 if found else 20)
"""
STUDENT = """import sys

n = int(sys.argv[1])
squares = [(row, column) for row in range(n) for column in range(n)]
number = {square: at + 1 for at, square in enumerate(squares)}
clauses = [[number[row, column] for column in range(n)] for row in range(n)]
for r, c in squares:
    for s, d in squares:
        if (r, c) < (s, d) and (r == s or c == d or abs(r - s) == abs(c - d)):
            clauses.append([-number[r, c], -number[s, d]])
print("p cnf", n * n, len(clauses))
for clause in clauses:
    print(*clause, 0)
"""


@pytest.fixture(scope="module")
def execute(nqbench_in, tmp_path_factory):
    """Execute a command where these users have formulas, a model, a solver, submissions and
    results.
    """
    tmp_path = tmp_path_factory.mktemp("home")

    def execute(command):
        words = shlex.split(command.partition(" > ")[0])
        done = nqbench_in(tmp_path)(*words[1:], plugin=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"

    for folder in ("formulas", "submissions"):
        (tmp_path / folder).mkdir()
    for n in (4, 5):
        execute(f"nqbench encode --n {n} --output formulas/queens-{n}.cnf")
    (tmp_path / "model.opb").write_text(MODEL)
    (tmp_path / "mysolver").write_text(SOLVER.replace("/usr/bin/env python3", sys.executable))
    (tmp_path / "mysolver").chmod(stat.S_IRWXU)
    (tmp_path / "submissions" / "alice.py").write_text(STUDENT)
    execute("nqbench run --n 4..6 --repeat 1 --backend minisat22 --no-plots")
    return execute


def test_there_are_six_and_the_home_page_has_them_too():
    assert len(WAYS) == 6
    home = (ROOT / "docs" / "index.md").read_text()
    for user, command, page in WAYS:
        assert (ROOT / page).exists()
        assert f"| {user} | `{command}` |" in home


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(command, marks=[needs_addon(OF_ADDON[name])] if name in OF_ADDON else [])
        for _, command, _ in WAYS
        if (name := command.split()[1])
    ],
)
def test_its_command_works(command, execute):
    execute(re.sub(r"run --n \S+", "run --no-plots --repeat 1 --n 4,5", command))
