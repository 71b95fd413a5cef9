"""The formulas that tools write are those of the reference campaigns."""

import subprocess
import sys

import pytest
from places import REFERENCE, ROOT

import nqbench


@pytest.mark.parametrize(
    ("tool", "campaign", "count"),
    [("corpus.py", "re-encoding", 168), ("row_corpus.py", "constraints", 81)],
)
def test_the_corpus_is_that_of_the_records(tool, campaign, count, tmp_path):
    """By their digests, on every version of Python."""
    subprocess.run([sys.executable, f"tools/{tool}", tmp_path], cwd=ROOT, check=True)
    written = {each.instance: each.digest for each in nqbench.formulas(tmp_path)}
    records = nqbench.read(REFERENCE / campaign / "records.csv")
    measured = records.filter(family="cnf").select("instance", "problem_digest")
    assert len(written) == count
    assert written == dict(measured.unique().iter_rows())
