"""What messages about files of queries advise works when it is pasted."""

from followed_advice import wrong_advice

ADVISED = """\
solve --cnf a.icnf | `nqbench run --cnf / | run --cnf a.icnf --backend minisat22 -q
count --cnf a.icnf | `nqbench run --cnf / | run --cnf a.icnf --backend minisat22 -q
encode a.icnf | `nqbench run --cnf / | run --cnf a.icnf --backend minisat22 -q
run --cnf a.icnf --amo product --backend minisat22 | leave out --amo \
| run --cnf a.icnf --backend minisat22"""


def test_what_is_advised_about_queries_works(tmp_path, monkeypatch, servers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.icnf").write_text("p inccnf\n1 2 0\nq -1 0\n")
    assert not wrong_advice(ADVISED)
