"""What a refusal advises is done, and then the command is not refused."""

import pytest
from followed_advice import call, wrong_advice
from probes import probed_once

from nqbench.plugins import availability

FILES = {
    "a.cnf": "p cnf 2 2\n1 2 0\n-1 -2 0\n",
    "a.knf": "p knf 3 1\nk 2 1 2 3 0\n",
    "a.opb": "* #variable= 2 #constraint= 1\nmin: 1 x1 2 x2 ;\n1 x1 1 x2 >= 1 ;\n",
    "solver": "#!/bin/sh\necho s UNSATISFIABLE\n",
    "own.toml": '[[campaign]]\nn = "4"\nencoding = "pairwise"\nbackend = "exe:./solver"\n',
}

SOLVED = "run --n 4,5 --encoding pairwise --backend minisat22,cadical195 --repeat 1 --no-plots -q"

ADVISED = f"""\
run --n 4 --seeds 2 --repeat 3 | leave out --repeat | run --n 4 --seeds 2
run --n 4 --backend cadical195:seed=1 --seeds 2 | leave out --seeds \
| run --n 4 --backend cadical195:seed=1
run --n 4 --cpus-per-run 1 --no-pin | leave out --no-pin | run --n 4 --cpus-per-run 1
run --n 4 --fresh --reuse-imported | leave out --reuse-imported, or --fresh | run --n 4 --fresh
run --n 4 --times results | add --shard | run --n 4 --times results --shard 1/2 --results r
run --n 4 --instances 3 | or leave it out | run --n 4
run --cnf a.cnf --family queens | leave out --family | run --cnf a.cnf
run --cnf a.cnf --encoding product | at-most-one schemes by --amo | run --cnf a.cnf --amo product
run --n 4 --amo product | for others, name encodings \
| run --n 4 --encoding product
run --cnf a.knf --encoding file --backend cadical195 | try native \
| run --cnf a.knf --encoding native --backend cp-sat
run --cnf a.opb --encoding adder --backend cadical195 --task all | use task 'first' \
| run --cnf a.opb --encoding adder --backend cadical195 --task first
run --cnf a.opb --encoding adder --backend glucose4 --task best | such as rc2 \
| run --cnf a.opb --encoding adder --backend rc2 --task best
run --n 4,5 --shard 1/2 --budget 1m --give-up-after 2 | one with --give-up-after | \
run --n 4,5 --shard 1/2 --budget 1m
run --cnf a.cnf --give-up-after 2 | leave it out | run --cnf a.cnf
run --n 4 --density 0.5 | leave it out | run --n 4
run | give --n 4..30 | run --n 4..30
run --n 4 --encoding pairwise --backend solver | write 'exe:./solver' \
| run --n 4 --encoding pairwise --backend exe:./solver
run --n 4 --jobs 64 | add --no-pin | run --n 4 --jobs 64 --no-pin
run own.toml | add --allow-program exe:./solver | run own.toml --allow-program exe:./solver
run --n 4 --check later --proof-time 5s | give it to `nqbench check` later | check --proof-time 5s
summary --par 3 --pairs | leave it out | summary --pairs
summary --sgm 1 --pairs | leave out --pairs | summary --sgm 1
summary --findings --json | leave it out | summary --json
summary --pairs --best | choose one | summary --best
summary --sort n | is for --by-problem: add that | summary --sort n --by-problem
summary --json --format csv | or --format csv | summary --json
summary --width ieeetran | is for --format latex: add that | summary --width ieeetran --format latex
summary --metric solve | did you mean 'solve_s' | summary --metric solve_s
plot --pair a --pair b --kind cactus --output p.svg | or leave it out \
| plot --kind cactus --output p.svg
plot --kind phases --metric conflicts --output p.svg | leave out --metric \
| plot --kind phases --output p.svg
solve --n 4 --seed 1 | leave out --seed | solve --n 4
solve --cnf a.cnf --family torus | leave it out | solve --cnf a.cnf
optimum --family queens --n 4 | choose peaceable-queens | optimum --family peaceable-queens --n 3
optimum a.opb --search incremental | choose linear | optimum a.opb --search linear
reencode a.knf --amo product | `nqbench encode FILE --encoding totalizer -o FILE.cnf` \
| encode a.knf --encoding totalizer -o b.cnf
output | measure with --keep-output --fresh | {SOLVED} --keep-output --fresh"""
"""A command, what its refusal says, and the command as that advises."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the commands name, and results of two combinations."""
    place = tmp_path_factory.mktemp("advised")
    for name, text in FILES.items():
        (place / name).write_text(text)
    (place / "solver").chmod(0o755)
    return place


def test_what_a_refusal_advises_is_not_refused(folder, monkeypatch, servers):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(availability, "_probed", probed_once)
    assert call(SOLVED)[0] == 0
    assert not wrong_advice(ADVISED)


def test_logs_are_there_once_they_are_kept_as_it_is_advised(folder, monkeypatch, servers):
    monkeypatch.chdir(folder)
    assert call(f"{SOLVED} --keep-output --fresh")[0] == 0
    for words in ("output", "measure 'glue=glue: ([0-9]+)'"):
        assert call(words)[0] == 0
