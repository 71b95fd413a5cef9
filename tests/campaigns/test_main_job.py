"""The main job of the README, on few boards."""

from databases import records


def test_the_main_job_from_end_to_end(nqbench, tmp_path):
    first = nqbench("--n", "4,5", "--repeat", 2)
    assert first.returncode == 0, first.stderr
    assert records(tmp_path, "count(*), count(DISTINCT run_id)") == [(64, 64)]
    assert records(tmp_path, "DISTINCT outcome, answer, verdict, checked_by") == [
        ("finished", "sat", "verified", "board")
    ]
    assert "64/64 runs (100 %)" in first.stderr
    for encoding in ("pairwise", "alo-row", "pyeda-onehot", "sequential"):
        for backend in ("glucose4", "minisat22", "cryptominisat", "pyeda"):
            (line,) = [
                x.split() for x in first.stdout.splitlines() if [encoding, backend] == x.split()[:2]
            ]
            # Then the times to encode, load and solve, the total, and PAR-2.
            assert (line[2], line[8:]) == ("4/4", ["5"])
    for kind in ("time-over-n", "sizes", "phases", "cactus"):
        assert kind in first.stderr
        for suffix in ("png", "svg"):
            assert (tmp_path / "results" / "plots" / f"{kind}.{suffix}").stat().st_size > 0
    assert "results/nqbench.db" in first.stderr

    before = records(tmp_path, "*")
    second = nqbench("--n", "4,5", "--repeat", 2)
    assert second.returncode == 0
    assert "all 64 runs are recorded already" in second.stderr
    assert second.stdout == first.stdout
    assert records(tmp_path, "*") == before

    more = nqbench("--n", "4..6", "--repeat", 2, "--no-plots")
    assert "32/32 runs" in more.stderr
    assert records(tmp_path, "*", "n < 6") == before

    fresh = nqbench("--n", "4,5", "--repeat", 2, "--fresh", "--quiet", "--no-plots")
    assert fresh.returncode == 0
    assert len(records(tmp_path)) == 96
    assert not set(records(tmp_path, "started_at", "n < 6")) & {(row[14],) for row in before}
