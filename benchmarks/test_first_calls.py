"""What first calls in a new process add to the phases of a small run.

tox -e bench -- benchmarks/test_first_calls.py
"""

import gc
import statistics
import time
from itertools import product

import msgspec
import small

from nqbench.backends.base import Backend
from nqbench.campaign import runner
from nqbench.campaign.executors.local import LocalExecutor
from nqbench.campaign.grid import Campaign
from nqbench.campaign.schedule import Schedule
from nqbench.clauses.cnf import no_clauses
from nqbench.common.machine.cpus import physical_cores
from nqbench.encodings.base import Encoding
from nqbench.measure.worker import WorkerReport, answer
from nqbench.problems.queens import Queens

PHASES = ("load", "solve", "decode")


def test_first_calls(figure, scaled):
    """The smallest solvable board in workers, and again and again in one process. The formula of a
    board is made once, so those of different boards are made for the time to encode.
    """
    rounds, side = scaled((60, 4), (3, 1))
    runs = Campaign(
        problems=[Queens(4)], encodings=["pairwise"], backends=["minisat22"], repeat=rounds
    ).runs()
    boards = Campaign(
        problems=[Queens(4, blocked=(square,)) for square in product(range(side), repeat=2)],
        encodings=["pairwise"],
        backends=["minisat22"],
        repeat=1,
    ).runs()
    with LocalExecutor([*runs, *boards], 1, physical_cores()[-1:]) as executor:
        done = list(runner.records(Schedule(runs), executor))
        made = list(runner.records(Schedule(boards), executor))
    again = small.call(again_and_again, rounds)
    for phase in PHASES:
        figure(f"first-calls/worker/{phase}", median(done, f"{phase}_s"), "s")
        figure(f"first-calls/again/{phase}", again[phase], "s")
    figure("first-calls/worker/encode", median(made, "encode_s"), "s")
    figure("first-calls/again/encode", again["encode"], "s")


def median(records, name):
    return statistics.median(getattr(record, name) for record in records)


def again_and_again(rounds):
    """Median seconds of each phase when everything has been called before."""
    backend, encoding = Backend.named("minisat22"), Encoding.named("pairwise")
    backend.prepare()
    (run,) = Campaign(
        problems=[Queens(4)], encodings=["pairwise"], backends=["minisat22"], repeat=1
    ).runs()
    formula = encoding.encode(run.problem)
    gc.disable()
    told = [
        msgspec.msgpack.decode(
            answer(run, encoding, backend, formula, no_clauses()), type=WorkerReport
        )
        for _ in range(2 * rounds)
    ][rounds:]
    found = {p: statistics.median(getattr(each, p).wall_s for each in told) for p in PHASES}
    encoded = []
    for _ in range(2 * rounds):
        started = time.monotonic()
        encoding.encode(run.problem)
        encoded.append(time.monotonic() - started)
    return found | {"encode": statistics.median(encoded[rounds:])}
