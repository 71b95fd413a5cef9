"""What `certify` tells to do works when it is pasted."""

from followed_advice import wrong_advice

ADVISED = """\
certify | name an encoding | certify product --n 4
certify product | give --n 4..12 | certify product --n 4
certify totalizer | or --cnf FILE | certify totalizer --cnf a.knf
certify product --n 4 --keep all | name a file, such as student.cnf \
| certify student.cnf --n 4 --keep all
certify product --cnf student.cnf | give a file with rows | certify totalizer --cnf a.knf
certify student.cnf | with --n 8 | certify student.cnf --n 4
certify rows.cnf | give one file of its rows with --cnf | certify rows.cnf --cnf a.knf
certify student.cnf --n 4,5 | give one n | certify student.cnf --n 4
certify student.cnf --family queens | add --n 8 | certify student.cnf --family queens --n 4
certify rows.cnf --cnf a.knf --keep all | in place of a problem and --keep \
| certify rows.cnf --cnf a.knf
certify rows.cnf --cnf a.knf --n 4 | in place of a problem | certify rows.cnf --cnf a.knf"""


def test_what_certify_advises_works(tmp_path, monkeypatch, nqbench):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.knf").write_text("p knf 3 1\nk 2 1 2 3 0\n")
    (tmp_path / "rows.cnf").write_text("p cnf 3 3\n1 2 0\n1 3 0\n2 3 0\n")
    made = nqbench("encode", "--n", 4, "--encoding", "pairwise").stdout
    clauses = [line for line in made.splitlines() if not line.startswith("c")]
    (tmp_path / "student.cnf").write_text("\n".join([*clauses, ""]))
    assert not wrong_advice(ADVISED)
