"""The wall time of an honest run that none of its phases has, as it is seen outside the worker."""

import gc
import importlib
import os
from collections import defaultdict

from nqbench import isolate
from nqbench.backends.base import Backend
from nqbench.campaign.grid import Campaign
from nqbench.clauses.cnf import no_clauses
from nqbench.common.vocabulary import Task
from nqbench.encodings.base import Encoding
from nqbench.isolate.pages import Pages
from nqbench.measure import validation
from nqbench.measure.warm_up import warm_up
from nqbench.measure.worker import answer
from nqbench.problems.queens import Queens


def between_phases(sizes, backends, rounds, cpu, task="first"):
    """Seconds between the phases of each of `rounds` runs for each size and backend, how many of
    them the CPU was busy at least, and the models. All runs are pinned to one CPU.
    """
    runs = Campaign(
        problems=[Queens(n) for n in sizes],
        encodings=["pairwise"],
        backends=backends,
        repeat=rounds,
        task=Task(task),
    ).runs(cores=1)
    scheme, solvers, formulas = Encoding.named("pairwise"), {}, {}
    for name in backends:
        solvers[name] = Backend.named(name)
        solvers[name].prepare()
    for run in runs:
        formulas.setdefault(run.problem, scheme.encode(run.problem))
    importlib.import_module("nqbench.measure.server")
    warm_up()
    gc.collect()
    gc.freeze()
    os.sched_setaffinity(0, [cpu])
    found, pages = defaultdict(list), defaultdict(Pages)
    for run in runs:
        parts = run, scheme, solvers[run.backend], formulas[run.problem], no_clauses()
        ending = isolate.call(
            lambda parts=parts: answer(*parts), run.limits, pages=pages[run.backend]
        )
        report = validation.admitted(run, ending)
        assert not isinstance(report, type(ending)), report.message
        spent_s = sum(phase.wall_s for phase in (report.load, report.solve, report.decode))
        busy_s = min(ending.function_cpu_s, ending.function_s)
        found["open"].append(ending.function_s - spent_s)
        found["idle"].append(ending.function_s - ending.function_wait_s - spent_s)
        found["busy"].append(busy_s - spent_s)
        found["models"].append(report.models)
    return dict(found)
