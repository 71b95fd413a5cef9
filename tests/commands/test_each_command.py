"""Every command once, from end to end, on one small campaign."""

import json

import pytest
from solver_history import RECIPE, History

from nqbench.cli.app import commands

CAMPAIGN = ("run", "--n", "4,5", "--encoding", "pairwise,product", "--backend", "minisat22")


@pytest.fixture(scope="module")
def folder(nqbench_in, tmp_path_factory):
    """A folder with the results of a campaign, and of the same with more repeats."""
    made = tmp_path_factory.mktemp("each")
    encoded = ("encode", "--n", "9", "--output", "q9.cnf")
    assert nqbench_in(made)(*encoded).returncode == 0
    (made / "handed-in").mkdir()
    (made / "handed-in" / "ann-9.cnf").write_bytes((made / "q9.cnf").read_bytes())
    (made / "board.txt").write_text("Q...\n....\n....\n....\n")
    (made / "solved.txt").write_text(
        "s SATISFIABLE\nv -1 2 -3 -4 -5 -6 -7 8 9 -10 -11 -12\nv -13 -14 15 -16 0\n"
    )
    (made / "times.csv").write_text(
        "instance,backend,answer,solve_s\nhard,kissat,sat,1.5\nhard,minisat,,10\n"
    )
    for name, *more in (("results", "--repeat", "2", "--keep-output"), ("other", "--seed", "1")):
        done = nqbench_in(made)(*CAMPAIGN, "--no-plots", "--results", name, *more)
        assert done.returncode == 0, done.stderr
    assert nqbench_in(made)("bundle", "made.zip", "--no-plots").returncode == 0
    History(made / "solver", commits=2, planted={"answer": 2})
    (made / "nqbench-build.toml").write_text(RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NQBENCH_BUILDS", str(made / "builds"))
        yield made


CALLS = {
    "run": ("run --n 4 --repeat 1 --backend pyeda --no-plots --results new", "PAR-2"),
    "race": (
        "race --n 4..6 --encoding pairwise,product --backend minisat22 --no-plots --results race",
        "leads with",
    ),
    "check": ("check", "no answer is unchecked"),
    "summary": ("summary", "pairwise"),
    "plot": ("plot --kind sizes --output pictures", "pictures/sizes"),
    "export": ("export --format jsonl", '"encoding":"product"'),
    "import": ("import times.csv --time-limit 10s --results imported", "2 runs added"),
    "schema": ("schema", '"$id": "urn:nqbench:record:'),
    "merge": ("merge other --results merged", "records from other"),
    "bundle": ("bundle out.zip --no-plots", "8 records, 8 of them can be measured again"),
    "replay": ("replay made.zip --sample 2", "Answers agree in all 2 runs."),
    "compare": ("compare results other", "ratio"),
    "trends": ("trends results other --output trends.html", "4 lines over 2 sources"),
    "report": ("report --output page.html", "page.html"),
    "output": ("output", "minisat22"),
    "measure": (r"measure x=(\d)", "x: 0 of 8 logs"),
    "list": ("list backends", "minisat22"),
    "solve": ("solve --n 4", "♛"),
    "count": ("count --n 8", "92"),
    "board": ("board --board board.txt", "♛ · · ·"),
    "watch": ("watch --n 4", "♛"),
    "encode": ("encode --n 4", "p cnf 16 84"),
    "use": (
        "use q9.cnf --encoding product --backend cadical195",
        "from pysat.solvers import Solver",
    ),
    "clauses": ("clauses --n 8 --square 3,3", "27"),
    "reencode": ("reencode q9.cnf --amo product", "p cnf 249 "),
    "decode": ("decode --n 4 solved.txt", ". Q . ."),
    "certify": ("certify product --n 4", "certified"),
    "grade": ("grade handed-in --n 9 --shuffles 0 --results graded", "1 certified"),
    "optimum": ("optimum --family queen-domination --n 3,5 --results optima", "proven"),
    "bisect": (
        "bisect HEAD~1 HEAD --backend git:solver --by answer --n 6 --results bisected",
        "The first bad commit",
    ),
    "doctor": ("doctor", "work here"),
}
"""Each command, and a part of what it prints."""


def test_every_command_is_here():
    assert CALLS.keys() == commands().keys()


@pytest.mark.parametrize("command", CALLS)
def test_it_does_its_work(nqbench_in, folder, command):
    words, printed = CALLS[command]
    # The plugin has encodings and backends that hang when they are tried.
    done = nqbench_in(folder)(*words.split(), plugin=command not in ("doctor", "list"))
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout + done.stderr


def test_an_export_has_each_run_once(nqbench_in, folder):
    lines = nqbench_in(folder)("export", "--format", "jsonl").stdout.splitlines()
    runs = [json.loads(line) for line in lines]
    assert len({run["run_id"] for run in runs}) == len(runs) == 2 * 2 * 2
    assert {run["verdict"] for run in runs} == {"verified"}
