"""Every setting of runs is the same in options, campaign files, Python and the ids of runs."""

import inspect
import json
from dataclasses import replace

import pytest
from addons import needs_addon

import nqbench
from nqbench.campaign import campaign_file
from nqbench.campaign.execution import Execution
from nqbench.campaign.grid import Campaign
from nqbench.cli.app import app
from nqbench.cli.commands.run import run
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits, MemoryBy
from nqbench.common.vocabulary import Task
from nqbench.problems.families.cnf import Formula
from nqbench.problems.queens import Queens
from nqbench.records import settings
from nqbench.records.record import Run
from nqbench.records.settings import Identity

OTHERS = {
    "encoding": ("product", ["product"], ["product"]),
    "amo": ("product,keep", ["product", "keep"], "product, keep"),
    "backend": ("cadical195,ergo", ["cadical195", "ergo"], "cadical195, ergo"),
    "lenient": (None, True, True),
    "task": ("all", "all", "all"),
    "repeat": ("2", 2, 2),
    "seeds": ("4", 4, 4.0),
    "shuffle-clauses": ("7", 7, 7),
    "time-limit": ("1m", "60s", 60),
    "cpu-limit": ("500ms", 0.5, "0.5"),
    "conflict-limit": ("1e6", 1e6, "1_000_000"),
    "propagation-limit": ("2000", "2e3", 2000),
    "memory-limit": ("1GiB", "1024MiB", 2**30),
    "memory-limit-by": ("CGROUP", "cgroup", "cgroup"),
    "seed": ("-3", -3, -3),
    "keep-output": (None, True, True),
    "measure": ("a=b, ([0-9])", ["a=b, ([0-9])"], "a=b, ([0-9])"),
    "give-up-after": ("3", None, 3),
    "budget": ("2m", None, 120),
    "check": ("later", None, "later"),
    "proof-time": ("1m", None, 60),
    "proof-size": ("1GiB", None, 2**30),
    "fresh": (None, None, True),
    "retry-failed": (None, None, True),
    "reuse-imported": (None, None, True),
    "jobs": ("2", None, 2),
    "pin": (None, None, False),
    "ahead": (None, None, False),
    "cpus-per-run": ("2", None, 2),
    "executor": ("dask", None, "dask"),
    "scheduler": ("tcp://node1:8786", None, "tcp://node1:8786"),
    "shard": ("3/20", None, (3, 20)),
    "times": ("earlier", None, "earlier"),
}
"""A value that is not the default, as typed, in a campaign file (as JSON), and in Python."""

NO_SETTINGS = ("problems", "suite", "campaign_file", "allow_programs", "results", "progress")
UNSTATED = {each.argument: None for each in settings.SETTINGS}
FORMULA = Formula("some.cnf", "0" * 32)
NOTHING = Campaign(problems=[Queens(4)])


def made(kind, values):
    return kind(**{each.sets: values[each.sets] for each in settings.of(kind)})


def asked(values):
    return NOTHING.with_settings(settings.stated(values))


def run_ids(values, problem):
    execution = made(Execution, values)
    campaign = replace(asked(values), problems=[problem])
    return {run.id for run in campaign.runs(execution.machine, execution.cores)}


def parsed(*options):
    """What is asked of `nqbench.run` by these options of `nqbench run`."""
    return settings.read(run.make_context("run", list(options), **app.context_settings).params)


@needs_addon("dask")
@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda each: each.name)
def test_a_setting_is_the_same_everywhere(setting, tmp_path):
    """As an option, as an argument, in a campaign file if it may be there, and in the id."""
    typed, in_file, argument = OTHERS[setting.name]
    values = settings.read({**UNSTATED, setting.argument: argument})
    usual = settings.read(UNSTATED)
    option = [setting.option] if setting.default is not True else [f"--no-{setting.name}"]
    assert parsed(*option, *([typed] if typed else []))[setting.sets] == values[setting.sets]
    assert parsed()[setting.sets] == usual[setting.sets] != values[setting.sets]
    problem = FORMULA if setting.name == "amo" else Queens(4)
    changed = run_ids(values, problem) != run_ids(usual, problem)
    assert changed == (setting.identity is not Identity.NO)
    path = tmp_path / "campaign.toml"
    path.write_text(f'[[campaign]]\nn = "4"\n{setting.name} = {json.dumps(in_file or 1)}\n')
    if setting.key:
        (campaign,) = campaign_file.read(path)
        assert replace(campaign, left_out=()) == asked(values) != NOTHING
    else:
        with pytest.raises(InputError, match=f"unknown key '{setting.name}'"):
            campaign_file.read(path)


def test_python_has_every_setting_as_an_argument_with_the_same_default():
    arguments = inspect.signature(nqbench.run).parameters
    assert set(arguments) == {*UNSTATED, *NO_SETTINGS}
    for setting in settings.SETTINGS:
        default = arguments[setting.argument].default
        # None is what a campaign file says.
        assert (default is None) == (setting.in_files or setting.default is None), setting.name
        assert default is None or setting.kind.meant("", default) == setting.default, setting.name


@pytest.mark.parametrize(
    ("limits", "stated", "known"),
    [
        (Limits(), {}, "354b23c97692812b54bd754fb03be996"),
        (
            Limits(5.0, 2**30, 9.0, memory_by=MemoryBy.CGROUP, conflicts=7, propagations=8),
            {"shuffle": 5, "solver_seed": 6, "keep_output": True, "measures": ("a=b",)},
            "a74dce8dbdb4310538fbd07449758b07",
        ),
    ],
)
def test_ids_are_those_of_stores_that_were_written_before(limits, stated, known):
    run = Run(
        problem=Queens(4), encoding="pairwise", encoding_version="1", backend="minisat22",
        backend_version="2", limits=limits, seed=0, task=Task.FIRST, repeat=0, machine="m",
        harness="h", cores=1, **stated,
    )  # fmt: skip
    assert run.id == known
