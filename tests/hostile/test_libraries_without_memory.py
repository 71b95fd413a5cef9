"""Libraries that abort their process when memory is refused: an outcome of the run, and no more."""

import pytest

import nqbench
from nqbench.problems.families.base import Family


@pytest.mark.parametrize("encoding", ["pindakaas:sequential-counter", "pysat:seqcounter"])
def test_a_library_that_aborts_is_a_run_out_of_memory(encoding):
    """The runs after it are measured."""
    large = Family.named("queen-domination:k=1800").of_size(60)
    small = Family.named("queen-domination:k=3").of_size(6)
    records = nqbench.run(
        [large, small],
        encodings=encoding,
        backends="minisat22",
        repeat=1,
        pin=False,
        time_limit="2m",
        memory_limit="384MiB",
    )
    outcomes = {row["n"]: row for row in records.iter_rows(named=True)}
    assert outcomes[60]["outcome"] == "memout"
    assert "while encoding: signal SIGABRT at the memory limit" in outcomes[60]["message"]
    assert (outcomes[6]["outcome"], outcomes[6]["verdict"]) == ("finished", "verified")
    library = {"pindakaas": "pindakaas", "pysat": "python-sat"}[encoding.partition(":")[0]]
    assert outcomes[6]["encoding_version"].startswith(f"{library} ")
