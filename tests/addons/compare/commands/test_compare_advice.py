"""What `compare` tells to do works when it is pasted."""

from dataclasses import replace

import pytest
from followed_advice import wrong_advice
from made_records import record_of

from nqbench.records.store import Store

ADVISED = """\
compare old.csv | Give OLD and NEW | compare old.csv new.csv
compare old.csv | with --old and --new | compare old.csv --old minisat22 --new cadical195
compare old.csv new.csv --old minisat22 | give both \
| compare old.csv new.csv --old minisat22 --new cadical195
compare old.csv new.csv --fail-blind 99% | add --fail-above \
| compare old.csv new.csv --fail-blind 99% --fail-above 99%
compare old.csv new.csv --reference cadical195 --metric conflicts | leave out the reference \
| compare old.csv new.csv --metric conflicts
compare old.csv old.csv new.csv | is named twice | compare old.csv new.csv
compare old.csv older.csv new.csv --metric conflicts | give one OLD \
| compare old.csv new.csv --metric conflicts
compare old.csv older.csv new.csv | or one | compare old.csv new.csv
compare old.csv other.csv | no encoding and backend solved the same board \
| compare old.csv new.csv
compare old.csv one.csv --old cadical195 --new cadical195 | but of minisat22 \
| compare old.csv one.csv --old cadical195 --new minisat22
compare old.csv new.csv --fail-above 1% | choose 5 % or more \
| compare old.csv new.csv --fail-above 5%
compare old.csv new.csv --fail-above 1% | or a counter as --metric \
| compare old.csv new.csv --fail-above 1% --metric conflicts
compare part.csv part.csv --fail-above 10% | and no --reference \
| compare part.csv part.csv --fail-above 10% --reference minisat22
compare old.csv part.csv --fail-above 10% | accept what is missing with --allow-missing \
| compare old.csv part.csv --fail-above 10% --allow-missing"""

ALL = [("pairwise", "cadical195"), ("pairwise", "minisat22"), ("product", "minisat22")]
CAMPAIGNS = {
    "old": ALL, "older": ALL, "new": ALL, "part": ALL[:2], "one": ALL[1:2],
    "other": [("ladder", "minisat22")],
}  # fmt: skip


@pytest.fixture(autouse=True)
def campaigns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, pairs in CAMPAIGNS.items():
        with Store(tmp_path / f"{name}.db") as store:
            for n in range(4, 12):
                for at, (encoding, backend) in enumerate(pairs):
                    names = {"encoding": encoding, "backend": backend}
                    record = record_of(n, solve_s=n * (1.0 + at), conflicts=10 * n, **names)
                    store.add(replace(record, run_id=f"{100 * n + at:032}"))


def test_what_compare_advises_works():
    assert not wrong_advice(ADVISED.replace(".csv", ".db"))
