"""The report that a campaign writes."""

import html
import re
import subprocess

import polars as pl
import pytest
from made_pages import column_of, data_of, page_of
from made_records import THREE, campaign

import nqbench as package
from nqbench.common.errors import InputError
from nqbench.records import frame
from nqbench.show.report.contents import NEEDED, Contents
from nqbench.show.report.currency import is_current
from nqbench.show.report.page import write_page


def test_a_page_is_current_until_its_campaign_changes(tmp_path):
    path = tmp_path / "report.html"
    records = THREE.with_columns(started_at=0.0).select(NEEDED)
    assert not is_current(path, "a title", records, {})
    write_page(Contents("a title", records, [], []), path)
    assert is_current(path, "a title", records.select(frame.IDENTIFYING), {})
    assert not is_current(path, "another", records, {})
    assert not is_current(path, "a title", records.with_columns(verdict=pl.lit("refuted")), {})
    assert not is_current(path, "a title", records.with_columns(started_at=1.0), {})
    assert not is_current(path, "a title", records.head(3), {})
    assert not is_current(path, "a title", records, {"a": "A"})
    with pytest.raises(InputError, match="cannot write"):
        write_page(Contents("a title", records, [], []), path / "below" / "a" / "file.html")


def test_the_main_job_writes_the_page_once(nqbench, tmp_path):
    """At first in a process beside the one that draws: forked commands of the tests have none."""
    job = ["--n", "4,5", "--encoding", "pairwise", "--backend", "minisat22"]
    page = tmp_path / "results" / "report.html"
    first = nqbench(*job, stdin=subprocess.DEVNULL)
    assert "report: results/report.html (" in first.stderr
    written = page.stat().st_mtime_ns
    assert "report: results/report.html (" in nqbench(*job).stderr
    assert page.stat().st_mtime_ns == written
    nqbench(*job, "--repeat", 4)
    assert page.stat().st_mtime_ns > written


def test_the_page_begins_with_the_verdict_and_then_goes_into_detail():
    """The verdict is the first finding. Table, all findings, charts and runs follow: the second
    finding may begin with "It", which is the combination that the first one names.
    """
    page = html.unescape(page_of(THREE)).replace("\xa0", " ")
    verdict, *others = package.findings(THREE)
    assert len(others) > 2
    (listed,) = re.findall(r'<h2 id="findings">.*?<ul>(.*?)</ul>', page, re.DOTALL)
    assert re.findall(r"<li>(.*?)</li>", listed) == [verdict, *others]
    parts = [
        f'<p class="verdict">{verdict}</p>',
        'id="overview"',
        *(f"<li>{sentence}</li>" for sentence in others),
        'id="time-over-n"',
        'id="cactus"',
        'id="phases"',
        'id="problems"',
        'id="all-runs"',
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert page.count(verdict) == 2


def test_numbers_have_four_digits_in_the_unit_of_the_page():
    records = campaign(a=[0.00123456, 0.00234567, 12.3456, None])
    data = data_of(page_of(records))
    assert data["unit"] == {"name": "s", "size": 1.0}
    assert column_of(data, "solve_s") == [0.001235, 0.002346, 12.35, None]
    # Encoding takes 0.25 s and loading 0.5 s; of what was not solved there is no total.
    assert column_of(data, "total_s") == [0.7512, 0.7523, 13.1, None]
