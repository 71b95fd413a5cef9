"""Campaigns that Python starts have the settings of the command line."""

import pytest

import nqbench
from nqbench.common.errors import InputError


def test_limits_of_a_campaign_and_what_is_measured_again_are_those_of_the_command_line(tmp_path):
    options = {"encodings": "pairwise", "backends": "minisat22", "repeat": 1, "results": tmp_path}
    limited = {"conflict_limit": 1, "give_up_after": 2, "cpu_limit": "20s", "shuffle_clauses": 4}
    first = nqbench.run("20..24", **options, **limited)
    assert set(first["cpu_limit_s"]) == {20.0}
    outcomes = first.sort("n")["outcome"].to_list()
    assert outcomes[:2] == ["work-limit"] * 2
    assert outcomes[2:] == ["skipped"] * 3
    assert (
        nqbench.run("20..21", **options, **limited)["started_at"]
        .is_in(first["started_at"].implode())
        .all()
    )
    again = nqbench.run("20..21", **options, **limited, fresh=True, retry_failed=True)
    assert again["started_at"].min() > first["started_at"].max()
    few = nqbench.run("4..200", **options, budget=0.001, check="now")
    assert len(few) < 197
    with pytest.raises(InputError, match="`give_up_after` needs an n"):
        nqbench.run([nqbench.Formula("a", "", "a")], backends="minisat22", give_up_after=2)


def test_a_suite_is_measured_with_other_encodings_backends_and_limits():
    records = nqbench.run(
        suite="hard", encodings="product", backends="minisat22", conflict_limit=1, jobs=2
    )
    assert records.select("encoding", "backend").unique().rows() == [("product", "minisat22")]
    assert set(records["family"]) == {"torus", "excluded-diagonals", "queens"}
    assert set(records.filter(family="torus")["n"]) == set(range(8, 15))
    assert set(records["repeat"]) == {0}
    assert set(records["time_limit_s"]) == {20.0}


def test_a_campaign_file_starts_no_program_that_the_call_does_not_name(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[campaign]]\nn = "4"\nbackend = ["minisat22", "exe:./nosuch"]\n')
    with pytest.raises(InputError, match=r"would start exe:./nosuch: if you trust it"):
        nqbench.run(campaign_file=path)
    with pytest.warns(UserWarning, match=r"exe:./nosuch could not run"):
        allowed = nqbench.run(campaign_file=path, allow_programs="exe:./nosuch", repeat=1)
    assert set(allowed["backend"]) == {"minisat22", "exe:./nosuch"}
    assert set(nqbench.run(campaign_file=path, backends="glucose4")["backend"]) == {"glucose4"}
