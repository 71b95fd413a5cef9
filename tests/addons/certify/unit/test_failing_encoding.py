"""An encoding that raises an error has no formula, which is not an open question."""

BAD = """from nqbench.plugin import LineEncoding


class Bad(LineEncoding):
    reference = "nobody"

    def constrain(self, cnf, x):
        s = cnf.fresh()
"""


def test_an_encoding_that_raises_an_error_has_no_formula(nqbench, tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    done = nqbench("certify", "./bad.py", "--n", 4)
    assert done.returncode == 1
    assert done.stdout.splitlines()[2].endswith("no formula")
    assert "(bad.py, line 8, in constrain)" in " ".join(done.stdout.split())
