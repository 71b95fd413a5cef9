"""Runs of backends and encodings that misbehave: the campaign continues, with correct records."""

import os
import signal
import time
from pathlib import Path

import pytest
from measuring import campaign

from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.campaign.runner import measured
from nqbench.campaign.schedule import Schedule
from nqbench.common.vocabulary import Answer, CheckedBy, Outcome, Verdict
from nqbench.problems.queens import Queens

pytestmark = pytest.mark.usefixtures("faulty_plugin")


def test_a_record_tells_the_whole_run():
    (record,) = measured(campaign(sizes=(8,)))
    assert (record.answer, record.verdict, record.checked_by) == (
        Answer.SAT, Verdict.VERIFIED, CheckedBy.BOARD,
    )  # fmt: skip
    assert (record.variables, record.clauses, record.literals) == (64, 744, 1584)
    assert len(record.queens) == 8
    assert record.conflicts >= 0
    assert record.exit_status == 0
    phases = [record.load_s, record.solve_s, record.decode_s]
    assert 0 < sum(phases) <= record.wall_s
    assert record.encode_s > 0
    assert record.verify_s > 0
    assert 10 * 2**20 < record.peak_rss_bytes < 2**30
    assert time.time() - 60 < record.started_at <= time.time()


def test_an_encoding_is_computed_once_for_all_backends_and_repeats():
    runs = Campaign(
        problems=[Queens(6), Queens(7)],
        encodings=["pairwise"],
        backends=["minisat22", "glucose4"],
        repeat=3,
    ).runs()
    records = measured(runs)
    assert len(records) == 12
    for n in (6, 7):
        assert len({record.encode_s for record in records if record.n == n}) == 1


def test_the_order_is_shuffled_by_the_seed():
    def order(seed):
        return [
            run.problem.n
            for run in Campaign(problems=[Queens(n) for n in range(4, 31)], seed=seed).runs()
        ]

    assert order(0) == order(0)
    assert order(0) != order(1)
    assert order(0) != sorted(order(0))


def children(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.usefixtures("servers_are_children")
def test_a_server_that_dies_costs_one_run():
    runs = campaign(backend="faulty-sleeps", time_s=30.0) + campaign() + campaign(sizes=(7,))
    earlier = set(children(os.getpid()))
    with LocalExecutor(runs) as executor:
        records = runner.records(Schedule(runs), executor)
        (server,) = set(children(os.getpid())) - earlier
        signal.signal(signal.SIGALRM, lambda *_: os.kill(server, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        lost, *others = records
    assert lost.outcome is Outcome.CRASHED
    assert "fork server died" in lost.message
    assert [record.verdict for record in others] == [Verdict.VERIFIED] * 2


@pytest.mark.usefixtures("servers_are_children")
def test_no_process_is_left_when_the_campaign_is_abandoned():
    runs = campaign(backend="faulty-sleeps", time_s=30.0)
    earlier = set(children(os.getpid()))
    with LocalExecutor(runs) as executor:
        records = runner.records(Schedule(runs), executor)
        (server,) = set(children(os.getpid())) - earlier
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            next(records)
        workers = children(server)
        assert len(workers) == 1
    assert not any(Path(f"/proc/{pid}").exists() for pid in [server, *workers])


def interrupt(*_):
    raise KeyboardInterrupt


class StoppedBeforeTheSecond(LocalExecutor):
    """Is stopped, as by Ctrl-C, when it is given its second run."""

    given = 0

    def submit(self, run):
        self.given += 1
        if self.given == 2:
            raise KeyboardInterrupt
        super().submit(run)


def test_a_record_is_not_lost_if_the_next_run_cannot_be_submitted():
    runs = campaign(sizes=(4, 5))
    with StoppedBeforeTheSecond(runs) as executor:
        records = runner.records(Schedule(runs), executor)
        assert next(records).run_id == runs[0].id
        with pytest.raises(KeyboardInterrupt):
            next(records)
