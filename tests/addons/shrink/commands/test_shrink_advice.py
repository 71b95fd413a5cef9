"""What `shrink` tells to do works when it is pasted."""

import re
import shutil

import pytest
from addons import TESTS
from followed_advice import call, wrong_advice

import nqbench

WRONG = "--backend ./planted_faults.py:ModelIsAllTrue"
ADVISED = f"""\
shrink fault.cnf | --backend cadical195 | shrink fault.cnf {WRONG} --output a
shrink fault.cnf {WRONG} --output a | name another folder with --output \
| shrink fault.cnf {WRONG} --output b
shrink hard.cnf --backend minisat22 --output c | slow formulas need --by conflicts \
| shrink hard.cnf --backend minisat22 --output c --by conflicts --runs 20
shrink fault.cnf --backend minisat22 --factor 2 --output d | need --by conflicts \
| shrink hard.cnf --backend minisat22 --at-least 2 --by conflicts --output d --runs 20
shrink fault.cnf --backend minisat22,cadical195 | give one backend | shrink fault.cnf {WRONG}
shrink hard.cnf --backend minisat22 --by conflicts --factor 2 --output e \
| or --at-least alone \
| shrink hard.cnf --backend minisat22 --by conflicts --at-least 2 --output e --runs 20
shrink fault.cnf {WRONG} --file fault.cnf --output f | leave out --file \
| shrink fault.cnf {WRONG} --output f
shrink RUN --backend minisat22 --results files --output g | leave these and --by out \
| shrink RUN --results files --output g
shrink BOARD | write the clauses with nqbench encode \
| encode --n 4 --encoding pairwise --output board.cnf
shrink RUN --results files --file hard.cnf --output h | name another one with --file \
| shrink RUN --results files --file fault.cnf --output h"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("planted_faults.py", "planted_solvers.py"):
        shutil.copy(TESTS / "shrink" / "faults" / name, tmp_path)
    (tmp_path / "fault.cnf").write_text("p cnf 3 3\n-1 -2 0\n1 -2 0\n-2 3 0\n")
    return tmp_path


def test_what_shrink_advises_works(folder, servers):
    assert call("encode --family pigeonhole --n 5 --encoding pairwise --output hard.cnf")[0] == 0
    usual = f"{WRONG} --repeat 1 --no-plots -q"
    assert call(f"run --cnf fault.cnf {usual} --results files")[0] == 0
    assert call(f"run --n 4 --encoding pairwise {usual}")[0] == 0
    ids = (nqbench.read(place)["run_id"][0] for place in ("files", "results"))
    table = ADVISED
    for name, run_id in zip(("RUN", "BOARD"), ids, strict=True):
        table = table.replace(name, run_id)
    assert not wrong_advice(table)
    readme = (folder / "a" / "README.md").read_text()
    (command,) = re.findall(r"`nqbench (run .*)`", readme)
    shutil.copy("a/small.cnf", "small.cnf")
    assert "3 wrong answers" in call(f"{command} -q")[1]
