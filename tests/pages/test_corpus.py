"""The formulas that `tools/corpus.py` writes are those of the reference campaign."""

import subprocess
import sys

from places import REFERENCE, ROOT

import nqbench


def test_the_corpus_is_that_of_the_records(tmp_path):
    """By their digests, on every version of Python."""
    subprocess.run([sys.executable, "tools/corpus.py", tmp_path], cwd=ROOT, check=True)
    written = {each.instance: each.digest for each in nqbench.formulas(tmp_path)}
    records = nqbench.read(REFERENCE / "re-encoding" / "records.csv")
    measured = records.filter(family="cnf").select("instance", "problem_digest")
    assert len(written) == 168
    assert written == dict(measured.unique().iter_rows())
