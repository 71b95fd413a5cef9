"""An encoding that raises an error has no formula, which is not an open question."""

import re

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


LATE = """
def late(literals):
    pairs = [(a, b) for i, a in enumerate(literals) for b in literals[i + 1:]]
    return [[-a, -b] for a, b in pairs if len(literals) < 9 or (a, b) != (3, 9)]


def right(literals):
    return [[-a, -b] for i, a in enumerate(literals) for b in literals[i + 1:]]


def nothing(literals):
    return []
"""


def test_a_scheme_from_a_file_is_tried_on_longer_lines_too(nqbench, tmp_path):
    (tmp_path / "mine.py").write_text(LATE)
    late = nqbench("certify", "./mine.py:late", "--n", 4)
    assert late.returncode == 1
    assert late.stdout.splitlines()[2].endswith("certified")
    assert "Wrong on some lines: mine.py:late on 9 literals: allows 3 and 9" in late.stdout
    right = nqbench("certify", "./mine.py:right", "--n", 4)
    assert right.returncode == 0
    assert "mine.py:right: at most one holds on 1 to 40 literals." in right.stdout


def test_one_board_refutes_an_encoding_and_no_number_counts_the_models_before_it(nqbench, tmp_path):
    (tmp_path / "mine.py").write_text(LATE)
    told = nqbench("certify", "./mine.py:nothing", "--n", "4..6")
    assert told.returncode == 1
    assert told.stdout.count("only solutions: allows a wrong solution") == 1
    assert told.stdout.count("count:") == 0
    assert len(re.findall(r"^[Q.]( [Q.])+$", told.stdout, re.MULTILINE)) == 4
    first = told.stdout.splitlines()[2].split()
    assert first[3:5] == ["-", "2"]
