"""The report that a campaign writes."""

import polars as pl
import pytest
from made_records import THREE

from nqbench.errors import InputError
from nqbench.records import frame
from nqbench.report.contents import NEEDED, Contents
from nqbench.report.page import is_current, write


def test_a_page_is_current_until_its_campaign_changes(tmp_path):
    path = tmp_path / "report.html"
    records = THREE.with_columns(started_at=0.0).select(NEEDED)
    assert not is_current(path, "a title", records)
    write(Contents("a title", records, [], []), path)
    assert is_current(path, "a title", records.select(frame.IDENTIFYING))
    assert not is_current(path, "another", records)
    assert not is_current(path, "a title", records.with_columns(verdict=pl.lit("refuted")))
    assert not is_current(path, "a title", records.with_columns(started_at=1.0))
    assert not is_current(path, "a title", records.head(3))
    with pytest.raises(InputError, match="cannot write"):
        write(Contents("a title", records, [], []), path / "below" / "a" / "file.html")


def test_the_main_job_writes_the_page_once(nqbench, tmp_path):
    job = ["--n", "4,5", "--encoding", "pairwise", "--backend", "minisat22"]
    page = tmp_path / "results" / "report.html"
    assert "report: results/report.html (" in nqbench(*job).stderr
    written = page.stat().st_mtime_ns
    assert "report: results/report.html (" in nqbench(*job).stderr
    assert page.stat().st_mtime_ns == written
    nqbench(*job, "--repeat", 4)
    assert page.stat().st_mtime_ns > written
