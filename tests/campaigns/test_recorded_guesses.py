"""A guess records what its documented form records."""


def test_what_a_guess_recorded_is_what_its_documented_form_records(nqbench):
    written = ("--n", 4, "--encoding", "pairwise", "--backend", "minisat22", "--repeat", 1)
    guessed = ("4", "--Encoding", "Pairwise", "--solver", "MiniSat22", "--repeat", 1)
    nqbench(*written, "--no-plots")
    assert "the run is recorded already" in nqbench(*guessed, "--no-plots").stderr
    for wrong, right in (("Phases", "phases"), ("phasess", None)):
        drawn = nqbench("plot", "--kind", wrong)
        assert drawn.returncode == (0 if right else 2)
        assert f"{right}.{{png,svg}}" in drawn.stderr or right is None
    for condition, meant in (("Backend = 'x'", "backend"), ("encodin = 'x'", "encoding")):
        assert f"did you mean {meant}?" in nqbench("summary", "--where", condition).stderr
