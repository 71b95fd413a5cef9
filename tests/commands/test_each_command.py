"""Every command once, from end to end, on one small campaign."""

import pytest
from addons import calls

from nqbench.cli import moved
from nqbench.cli.app import commands

CAMPAIGN = ("run", "--n", "4,5", "--encoding", "pairwise,product", "--backend", "minisat22")


@pytest.fixture(scope="module")
def folder(nqbench_in, tmp_path_factory):
    """A folder with the results of a campaign, and of the same with more repeats."""
    made = tmp_path_factory.mktemp("each")
    encoded = ("encode", "--n", "9", "--output", "q9.cnf")
    assert nqbench_in(made)(*encoded).returncode == 0
    (made / "board.txt").write_text("Q...\n....\n....\n....\n")
    (made / "solved.txt").write_text(
        "s SATISFIABLE\nv -1 2 -3 -4 -5 -6 -7 8 9 -10 -11 -12\nv -13 -14 15 -16 0\n"
    )
    for name, *more in (("results", "--repeat", "2", "--keep-output"), ("other", "--seed", "1")):
        done = nqbench_in(made)(*CAMPAIGN, "--no-plots", "--results", name, *more)
        assert done.returncode == 0, done.stderr
    for addon in OF_ADDONS:
        if hasattr(addon, "prepare"):
            addon.prepare(made, nqbench_in(made))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NQBENCH_BUILDS", str(made / "builds"))
        yield made


CALLS = {
    "run": ("run --n 4 --repeat 1 --encoding pairwise --no-plots --results new", "PAR-2"),
    "check": ("check", "no answer is unchecked"),
    "summary": ("summary", "pairwise"),
    "plot": ("plot --kind sizes --output pictures", "pictures/sizes"),
    "export": ("export --format jsonl", '"encoding":"product"'),
    "schema": ("schema", '"$id": "urn:nqbench:record:'),
    "merge": ("merge other --results merged", "records from other"),
    "report": ("report --output page.html", "page.html"),
    "output": ("output", "minisat22"),
    "measure": (r"measure x=(\d)", "x: 0 of 8 logs"),
    "list": ("list families", "queens"),
    "solve": ("solve --n 4", "♛"),
    "count": ("count --n 8", "92"),
    "board": ("board --board board.txt", "♛ · · ·"),
    "encode": ("encode --n 4", "p cnf 16 84"),
    "use": (
        "use q9.cnf --encoding product --backend cadical195",
        "from pysat.solvers import Solver",
    ),
    "clauses": ("clauses --n 8 --square 3,3", "27"),
    "reencode": ("reencode q9.cnf --amo product", "p cnf 249 "),
    "decode": ("decode --n 4 solved.txt", ". Q . ."),
    "optimum": ("optimum --family queen-domination --n 3,5 --results optima", "optimal"),
    "doctor": ("doctor", "work here"),
}
"""Each command, and a part of what it prints."""

OF_ADDONS = calls()
for addon in OF_ADDONS:
    CALLS |= addon.CALLS


def test_every_command_is_here():
    hidden = {name for name in CALLS if name not in commands()}
    assert CALLS.keys() - hidden == commands().keys()
    assert hidden == moved.COMMANDS.keys()


@pytest.mark.parametrize("command", CALLS)
def test_it_does_its_work(nqbench_in, folder, command):
    words, printed = CALLS[command]
    # The plugin has backends that hang when `doctor` tries them.
    done = nqbench_in(folder)(*words.split(), plugin=command != "doctor")
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout + done.stderr
