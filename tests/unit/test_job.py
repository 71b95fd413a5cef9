"""A job: what is asked for, what it would measure, and what it measures."""

from dataclasses import replace

import pytest
from databases import records
from probes import probed_once

from nqbench.campaign import runner
from nqbench.campaign.execution import Execution
from nqbench.campaign.job import Campaigns
from nqbench.campaign.narrator import Narrator
from nqbench.campaign.preview import Preview
from nqbench.campaign.reuse import Change
from nqbench.campaign.runner import undone
from nqbench.plugins import availability
from nqbench.problems.queens import Queens
from nqbench.records import names
from nqbench.records.record import Record
from nqbench.records.store import Store

SMALL = {"encodings": ["pairwise", "product"], "backends": ["minisat22"], "repeat": 1}
FILE = """
encoding = "pairwise"
backend = "minisat22"

[[campaign]]
n = "4..5"

[names]
"minisat22" = "MiniSat"
"""


def job_of(sizes, folder=None, **how):
    campaigns = Campaigns.of_problems([Queens(n) for n in sizes], SMALL)
    return replace(campaigns.job(Execution.usual(**how)), folder=folder)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "campaign.toml"
    path.write_text(FILE)
    return path


def test_a_preview_says_what_is_recorded_and_what_is_not(tmp_path, monkeypatch, called_directly):
    monkeypatch.setattr(availability, "_probed", probed_once)
    before = Preview.of(job_of([4, 5], folder=tmp_path))
    assert (before.recorded, before.estimate.without_precedent) == (0, 4)
    assert "Nothing recorded yet." in str(before)
    with job_of([4], folder=tmp_path).measure(Narrator(None)) as measured:
        assert len(measured) == 2
    preview = Preview.of(job_of([4, 5], folder=tmp_path))
    assert (preview.recorded, preview.estimate.with_precedent) == (2, 2)
    assert not preview.unavailable
    assert "2 of 4 runs are recorded." in str(preview)
    again = Preview.of(job_of([4, 5], folder=tmp_path, fresh=True))
    assert (again.recorded, again.estimate.with_precedent) == (0, 4)


def test_the_folder_is_locked_until_what_follows_has_ended(file):
    folder = file.parent / "results"
    campaigns = Campaigns.in_file(file, {}, ())
    job = replace(campaigns.job(Execution.usual()), folder=folder)
    with job.measure(Narrator(None)) as measured:
        assert list(folder.glob("*-lock"))
        assert names.in_folder(folder) == {"minisat22": "MiniSat"}
    assert not list(folder.glob("*-lock"))
    assert len(measured) == len(records(file.parent)) == len(job.runs)


def test_without_a_folder_an_opened_store_is_removed():
    with job_of([4]).open_store() as store:
        assert store.path.exists()
    assert not store.path.parent.exists()


def test_a_file_names_components_and_a_suite_does_not(file):
    settings = {"backends": ["glucose4", "all"]}
    campaigns = Campaigns.in_file(file, settings, ())
    assert campaigns.named_encodings == {"pairwise"}
    assert campaigns.named_backends == {"glucose4", "minisat22"}
    suite = Campaigns.in_suite("hard", settings, ())
    assert not suite.named_encodings
    assert suite.named_backends == {"glucose4"}


def test_runs_of_several_campaigns_are_planned_once():
    stated = Campaigns.of_problems([Queens(4)], SMALL).stated
    campaigns = Campaigns([*stated, *stated], SMALL)
    assert len(campaigns.job(Execution.usual()).runs) == 2


def test_runs_whose_build_was_judged_by_an_earlier_version_are_recorded(tmp_path):
    """0.3 added its judgement to the build, which is part of the id."""
    run = replace(job_of([4]).runs[0], backend_build="GCC 12.2.0, 0123456789ab")
    judged = replace(run, backend_build="GCC 12.2.0 without optimisation, 0123456789ab")
    other = replace(run, backend_build="GCC 13.2.0, ba9876543210")
    assert len({run.id, judged.id, other.id}) == 3
    with Store(tmp_path / "nqbench.db") as store:
        store.add(Record.of(judged, ""))
        todo = undone([run, other], store, Execution.usual())
        assert (todo.missing, todo.record_ids) == ([other], [judged.id])
        assert len(undone([run, other], store, Execution.usual(fresh=True)).missing) == 2


def test_such_runs_are_measured_again_if_their_code_has_changed(monkeypatch, tmp_path):
    run = replace(job_of([4]).runs[0], backend_build="GCC 12.2.0, 0123456789ab")
    judged = replace(run, backend_build="GCC 12.2.0 without optimisation, 0123456789ab")
    edited = Change("encoding", "its file", frozenset([judged.id]), 1)
    monkeypatch.setattr(runner, "changes", lambda runs, _: [edited] * (judged in runs))
    with Store(tmp_path / "nqbench.db") as store:
        store.add(Record.of(judged, ""))
        assert undone([run], store, Execution.usual()).missing == [run]
