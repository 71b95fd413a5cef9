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
race --cnf a.opb --encoding adder,totalizer --backend cadical195 \
| or --task first for any model \
| race --cnf a.opb --encoding adder,totalizer --backend cadical195 --task first"""


def test_what_race_advises_works(tmp_path, monkeypatch, servers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.opb").write_text(
        "* #variable= 2 #constraint= 1\nmin: 1 x1 2 x2 ;\n1 x1 1 x2 >= 1 ;\n"
    )
    assert not wrong_advice(ADVISED.replace("race ", "race --no-plots -q "))
    for words, file in ((ADVISED.split(" | ")[2].splitlines()[0], ""), (ADVISED[-80:], "a.opb")):
        _, said = call(words[words.index("race ") :])
        (advised,) = re.findall(r"nqbench (use .*?) (?:records|more):", said)
        assert call(advised.replace("FILE.opb", file))[0] == 0
