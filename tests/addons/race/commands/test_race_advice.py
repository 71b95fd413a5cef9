"""What `race` tells to do works when it is pasted."""

import re

from followed_advice import call, wrong_advice

ADVISED = """\
race --n 4..6 --encoding pairwise --backend minisat22 | needs two combinations \
| race --n 4..6 --encoding pairwise,product --backend minisat22
race --n 4..6 --encoding pairwise,product --backend minisat22 --unit n | leave out --unit \
| race --n 4..6 --encoding pairwise,product --backend minisat22
race --n 4..6 --encoding pairwise,product --backend minisat22 --unit nn | did you mean 'n' \
| race --n 4..9 --encoding pairwise,product --backend minisat22 --unit n
race --n 4..6 --encoding pairwise,product --backend minisat22 --confidence 1 \
| must be from 0.5 to below 1 \
| race --n 4..6 --encoding pairwise,product --backend minisat22 --confidence 0.5
race --n 4..6 --encoding pairwise,product --backend minisat22 --margin 1 \
| must be from 0 to below 1 \
| race --n 4..6 --encoding pairwise,product --backend minisat22 --margin 0
race --n 4..6 --encoding pairwise,product --backend minisat22 --budget 1ms --results empty \
| give a larger budget \
| race --n 4..6 --encoding pairwise,product --backend minisat22 --budget 1m --results empty
race --cnf a.cnf --backend minisat22,cadical195 --check later --results later \
| `nqbench check --results later` | check --results later
race --cnf a.opb --encoding adder,totalizer --backend cadical195 \
| or --task first for any model \
| race --cnf a.opb --encoding adder,totalizer --backend cadical195 --task first"""

ENDED = (
    "race --n 4..6 --encoding pairwise,product --backend minisat22 --no-plots",
    "race --cnf a.opb --encoding adder,totalizer --backend cadical195 --task first --no-plots",
)


def test_what_race_advises_works(tmp_path, monkeypatch, servers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cnf").write_text("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n")
    (tmp_path / "a.opb").write_text(
        "* #variable= 2 #constraint= 1\nmin: 1 x1 2 x2 ;\n1 x1 1 x2 >= 1 ;\n"
    )
    assert not wrong_advice(ADVISED.replace("race ", "race --no-plots -q "))
    for command in ENDED:
        _, said = call(command)
        (advised,) = re.findall(r"use it: .*? nqbench (use .*?) records:", said)
        assert call(advised.replace("FILE.opb", "a.opb"))[0] == 0
