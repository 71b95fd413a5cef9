"""Campaigns in files, measured."""

from covers_by_hand import TOY
from stated_campaigns import GOOD, written

from nqbench.campaign import combinations
from nqbench.campaign.combinations import able_backends
from nqbench.campaign.workload import Workload
from nqbench.common.vocabulary import Task


def test_a_campaign_runs_from_its_file(nqbench, tmp_path):
    written(tmp_path, GOOD.replace("cgroup", "address-space"))
    done = nqbench("run", "campaign.toml", "--no-plots")
    assert done.returncode == 0, done.stderr
    assert "12/16 runs" in done.stderr or "16/16 runs" in done.stderr
    again = nqbench("run", "campaign.toml", "--no-plots")
    assert "all 16 runs are recorded already" in again.stderr
    said = nqbench("run", "campaign.toml", "--n", 8)
    assert said.returncode == 2
    assert "--n says what is measured, and so does the suite or campaign file" in said.stderr


def test_a_backend_is_left_out_for_the_family_that_it_cannot_solve(monkeypatch):
    monkeypatch.setattr(combinations, "complete_backend_names", lambda: ["astar", "minisat22"])
    problems, _ = Workload(sizes=[4], families=["queens", "latin"]).problems()
    reasons = able_backends(Task.FIRST, problems)
    assert reasons["astar"] == "cannot solve latin n=4"
    assert reasons["minisat22"] is None
    assert able_backends(Task.FIRST, problems[:1])["astar"] is None
    with_seeds = able_backends(Task.FIRST, problems[:1], seeds=3)
    assert with_seeds["astar"] == "has neither a seed nor clauses to shuffle"
    assert with_seeds["minisat22"] is None


def test_a_cover_in_a_file_is_solved_from_the_command_line(nqbench, tmp_path):
    (tmp_path / "toy.cover").write_text(TOY)
    for arguments in (["--family", "cover"], []):
        shown = nqbench("solve", *arguments, "--file", "toy.cover")
        assert (shown.returncode, shown.stdout) == (0, "c e\na d f\nb g\n"), shown.stderr
    assert nqbench("count", "--file", "toy.cover").stdout == "1\n"
    shown = nqbench("solve", "--file", "toy.cover", "--encoding", "log")
    assert shown.returncode == 2
    assert shown.stderr == "nqbench: encoding 'log' needs choices, which toy does not have\n"
