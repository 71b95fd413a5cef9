"""The main job of the README, on few boards."""

from databases import records


def test_the_main_job_from_end_to_end(nqbench, tmp_path):
    first = nqbench("--n", "4,5", "--repeat", 1)
    assert first.returncode == 0, first.stderr
    assert records(tmp_path, "count(*), count(DISTINCT run_id)") == [(32, 32)]
    assert records(tmp_path, "DISTINCT outcome, answer, verdict, checked_by") == [
        ("finished", "sat", "verified", "board")
    ]
    assert "32/32 runs (100 %)" in first.stderr
    for encoding in ("pairwise", "alo-row", "pyeda-onehot", "sequential"):
        for backend in ("glucose4", "minisat22", "cryptominisat", "pyeda"):
            (line,) = [
                x.split() for x in first.stdout.splitlines() if [encoding, backend] == x.split()[:2]
            ]
            # Then the times to encode, load and solve, the total, and PAR-2.
            assert (line[2], line[8:]) == ("2/2", ["5"])
    for kind in ("time-over-n", "sizes", "phases", "cactus"):
        assert kind in first.stderr
        for suffix in ("png", "svg"):
            assert (tmp_path / "results" / "plots" / f"{kind}.{suffix}").stat().st_size > 0
    assert "results/nqbench.db" in first.stderr

    before = records(tmp_path, "*")
    second = nqbench("--n", "4,5", "--repeat", 1)
    assert second.returncode == 0
    assert "all 32 runs are recorded already" in second.stderr
    assert second.stdout == first.stdout
    assert records(tmp_path, "*") == before

    more = nqbench("--n", "4..6", "--repeat", 1, "--no-plots")
    assert "16/16 runs" in more.stderr
    assert records(tmp_path, "*", "n < 6") == before

    fresh = nqbench("--n", 4, "--repeat", 1, "--fresh", "--quiet", "--no-plots")
    assert fresh.returncode == 0
    assert len(records(tmp_path)) == 48
    again = set(records(tmp_path, "started_at", "n = 4"))
    assert len(again) == 16
    assert not again & {(row[14],) for row in before}
