"""Campaigns of a few runs, and their records."""

from places import CSPLIB

from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.common.limits import Checking, Limits, When
from nqbench.common.vocabulary import OUTSIDE, Outcome, Verdict
from nqbench.problems import board_files
from nqbench.problems.queens import Queens

HOPELESS = board_files.read(CSPLIB / "diag-8-4-1.param", 8)
"""A board without a solution that no theorem covers and that propagation alone cannot refute."""


LATER = Checking(When.LATER)


def without_notes_on_time(message):
    """The message of a record but for what a busy machine can add to it: that a run's phases do
    not explain its time.
    """
    parts = message.split("; ")
    return "; ".join(part for part in parts if OUTSIDE not in part)


def measured(backend="minisat22", encoding="pairwise", problem=None, time_s=10.0, **options):
    """The record of one run, which is followed by an honest run in the same campaign."""
    runs = Campaign(
        problems=[problem or Queens(6)],
        encodings=[encoding],
        backends=[backend],
        repeat=1,
        limits=Limits(time_s=time_s),
        **options,
    ).runs()
    honest = Campaign(
        problems=[Queens(5)], encodings=["pairwise"], backends=["minisat22"], repeat=1
    ).runs()
    record, after = runner.measured([*runs, *honest])
    if record.run_id != runs[0].id:
        record, after = after, record
    assert (after.outcome, after.verdict) == (Outcome.FINISHED, Verdict.VERIFIED), after.message
    return record


def measure(store, problems, backends, checking=LATER, **more):
    """The records of a campaign with `pairwise`; `more` are arguments of `Campaign`."""
    campaign = Campaign(
        problems=problems, backends=backends, **{"encodings": ["pairwise"], "repeat": 1} | more
    )
    runs = campaign.runs()
    runner.run(runs, store, lambda missing: LocalExecutor(missing, checking=checking))
    return store.records(run.id for run in runs)


def campaign(encoding="pairwise", backend="minisat22", sizes=(6,), **options):
    """The runs of a campaign, one for each size."""
    limits = Limits(time_s=options.pop("time_s", 60.0), memory_bytes=2**30)
    planned = Campaign(
        problems=[Queens(n) for n in sizes],
        encodings=[encoding],
        backends=[backend],
        limits=limits,
        repeat=1,
        **options,
    )
    return list(planned.runs())
