"""Campaigns in files, measured."""

import pytest
from covers_by_hand import TOY

import nqbench as library
from nqbench.campaign import combinations
from nqbench.campaign.combinations import able_backends
from nqbench.campaign.workload import Workload
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import Task


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


def test_a_campaign_file_starts_no_program_that_the_call_does_not_name(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[campaign]]\nn = "4"\nbackend = ["minisat22", "exe:./nosuch"]\n')
    with pytest.raises(InputError, match=r"would start exe:./nosuch: if you trust it"):
        library.run(campaign_file=path)
    with pytest.warns(UserWarning, match=r"exe:./nosuch could not run"):
        allowed = library.run(campaign_file=path, allow_programs="exe:./nosuch", repeat=1)
    assert set(allowed["backend"]) == {"minisat22", "exe:./nosuch"}
    assert set(library.run(campaign_file=path, backends="glucose4")["backend"]) == {"glucose4"}
