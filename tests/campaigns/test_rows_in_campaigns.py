"""Files with rows in a campaign: checked later, resumed, bundled and replayed."""

from addons import needs_addon

import nqbench
from nqbench import summary
from nqbench.records.store import Store

SAT = "p knf 4 1\nk 2 1 2 3 4 0\n"
UNSAT = "p cnf+ 4 2\n1 2 3 4 >= 3\n1 2 3 4 <= 2\n"
CAMPAIGN = """\
[[campaign]]
cnf = ["."]
encoding = ["sequential", "native"]
backend = ["minisat22", "minicard"]
repeat = 1
"""


@needs_addon("bundle")
def test_files_with_rows_are_measured_resumed_and_replayed(nqbench, tmp_path):
    (tmp_path / "a.knf").write_text(SAT)
    (tmp_path / "u.cnf+").write_text(UNSAT)
    (tmp_path / "c.toml").write_text(CAMPAIGN)
    # MiniSat does not take the rows of native.
    done = nqbench("run", "c.toml", "--no-plots", "--check", "later")
    assert "6/6 runs" in done.stderr
    assert nqbench("check").stdout.endswith("3 answers: 3 verified\n")
    again = nqbench("run", "c.toml", "--no-plots")
    assert "all 6 runs are recorded already" in again.stderr
    bundled = nqbench("bundle", "b.zip", "--cnf", ".", "--no-plots")
    assert bundled.returncode == 0, bundled.stderr
    replayed = nqbench("replay", "b.zip", "--results", "again")
    assert "Answers agree in all 6 runs." in replayed.stdout
    (tmp_path / "a.knf").write_text(SAT.replace("k 2", "k 3"))
    edited = nqbench("run", "c.toml", "--no-plots")
    assert "3 of 6 runs are recorded already" in edited.stderr
    with Store(tmp_path / "results" / "nqbench.db", read_only=True) as store:
        answers = store.frame().select("instance", "answer", "verdict").rows()
    expected = {("a.knf", "sat", "verified"), ("u.cnf+", "unsat", "verified")}
    assert set(answers) == expected
    assert len(answers) == 9


@needs_addon("race")
def test_a_scheme_with_too_many_clauses_leaves_its_problem_in_the_race(tmp_path):
    """At most 25 of 100 are 10^24 clauses in `product`: unsolved, and a problem for the others."""
    literals = " ".join(map(str, range(1, 101)))
    (tmp_path / "a.cnf+").write_text(f"p cnf+ 100 1\n{literals} <= 25\n")
    (tmp_path / "b.cnf+").write_text(f"p cnf+ 100 1\n{literals} <= 1\n")
    standing = nqbench.race(
        problems=nqbench.formulas(tmp_path),
        encodings=["product", "sequential"],
        backends=["minisat22"],
        results=tmp_path / "results",
    )
    assert not standing.course.dropped
    assert standing.leader == "sequential x minisat22"
    too_large = standing.records.filter(outcome="invalid")
    assert too_large.select("instance", "encoding").rows() == [("a.cnf+", "product")]
    overview = dict(summary.overview(standing.records).select("encoding", "unsolved").iter_rows())
    assert overview["product"] == "1 too large"
