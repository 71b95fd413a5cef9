"""A command and the function of the same name ask for the same: with the same arguments and their
own defaults, both call the same function of the package with the same values.
"""

import importlib
import inspect
import io
import re
import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from addons import needs_addon
from click.testing import CliRunner
from made_records import record_of

import nqbench
from nqbench.api import SOLVER
from nqbench.campaign.job import Job
from nqbench.checking.proving import _TIMES
from nqbench.cli.app import app
from nqbench.common.vocabulary import LARGE_OPTIONS, USUAL_ENCODING
from nqbench.plugins.component import Component
from nqbench.problems.published_counts import published_count
from nqbench.problems.queens import Queens
from nqbench.records import settings
from nqbench.records.store import Store
from nqbench.show.boards.board import _MOST_PICTURES

FORMULA = "p cnf 2 2\n1 2 0\n-1 -2 0\n"
OBJECTIVE = "* #variable= 2 #constraint= 1\nmin: 1 x1 2 x2 ;\n1 x1 1 x2 >= 1 ;\n"


class Reached(Exception):  # noqa: N818 - an event, not an error
    """The function was called that both call."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """What the calls below name."""
    (tmp_path / "a.cnf").write_text(FORMULA)
    (tmp_path / "a.opb").write_text(OBJECTIVE)
    (tmp_path / "handed-in").mkdir()
    with Store(tmp_path / "results" / "nqbench.db") as store:
        store.add(record_of(8, solve_s=1.0))
    monkeypatch.chdir(tmp_path)


def stored():
    return nqbench.Results("results")


TWINS = {
    "race": (
        "race --n 4 --results r", lambda: nqbench.race(4, results="r"),
        "nqbench.addons.race.live.Race",
    ),
    "bisect": (
        "bisect v1 v2 --n 4 --backend git:. --by time --results r",
        lambda: nqbench.bisect("v1", "v2", 4, backend="git:.", by="time", results="r"),
        "nqbench.addons.revisions.bisection.bisect.Bisecting",
    ),
    "solve": (
        "solve --n 4", lambda: nqbench.solve(4), "nqbench.measure.solutions.Solving.named"
    ),
    "solve of all": (
        "solve --n 4 --all", lambda: nqbench.solve_all(4), "nqbench.measure.solutions.Solving.named"
    ),
    "solve of each class": (
        "solve --n 4 --fundamental", lambda: nqbench.solutions(4, fundamental=True),
        "nqbench.campaign.found.Found.named",
    ),
    "solve of a file with an objective": (
        "solve --cnf a.opb --backend rc2", lambda: nqbench.optimum("a.opb", backend="rc2"),
        "nqbench.campaign.optimum.file_optima",
    ),
    "solve of a file": (
        "solve --cnf a.cnf", lambda: nqbench.solve("a.cnf"),
        "nqbench.measure.file_models.FileModels.named",
    ),
    "count": ("count --n 8", lambda: nqbench.count(8), "nqbench.campaign.counting.Counting"),
    "encode": (
        "encode --n 4 --output a.knf", lambda: nqbench.encode(4, output="a.knf"),
        "nqbench.measure.formula.make_file",
    ),
    "count with a solver": (
        "count --n 8 --models --encoding product --time-limit 5m",
        lambda: nqbench.count(8, models=True, encoding="product", time_limit="5m"),
        "nqbench.campaign.counting.Counting",
    ),
    "encode to the output": (
        "encode --n 4 --encoding product",
        lambda: nqbench.encode(4, "product", output=io.BytesIO()),
        "nqbench.measure.formula.make_file",
    ),
    "reencode": (
        "reencode a.cnf --amo product", lambda: nqbench.reencode("a.cnf", "product"),
        "nqbench.clauses.rewriting.rewrite.reencode",
    ),
    "certify": (
        "certify product --n 4", lambda: nqbench.certify("product", 4),
        "nqbench.addons.certify.examiner.certificates",
    ),
    "certify of several": (
        "certify all --n 4 --time-limit 1m", lambda: nqbench.certify("all", 4, time_limit=60),
        "nqbench.addons.certify.examiner.certificates",
    ),
    "certify of a formula": (
        "certify --cnf a.cnf --n 4", lambda: nqbench.certify_formula("a.cnf", 4),
        "nqbench.addons.certify.formula_examiner.judge",
    ),
    "grade": (
        "grade handed-in --n 4", lambda: nqbench.grade("handed-in", 4),
        "nqbench.addons.grading.grading.Grading",
    ),
    "optimum": (
        "optimum --family queen-domination --n 4 --results r",
        lambda: nqbench.optimum("queen-domination", 4, results="r"),
        "nqbench.campaign.optimum.optima",
    ),
    "optimum with options": (
        "optimum --family squares-free:k=4 --n 4,5 --search binary --encoding adder --results r "
        "--time-limit 5s --memory-limit 1GiB --reuse-imported",
        lambda: nqbench.optimum(
            "squares-free:k=4", [4, 5], search="binary", encoding="adder", results="r",
            time_limit=5, memory_limit="1GiB", reuse_imported=True,
        ),
        "nqbench.campaign.optimum.optima",
    ),
    "optimum of a file": (
        "optimum a.opb --backend rc2 --results r",
        lambda: nqbench.optimum(nqbench.formulas("a.opb"), backend="rc2", results="r"),
        "nqbench.campaign.optimum.file_optima",
    ),
    "check": ("check", nqbench.check, "nqbench.measure.later_checks.check"),
    "check with options": (
        "check --jobs 2 --proof-time 5m --proof-size 1GiB --allow-program exe:/bin/s",
        lambda: nqbench.check(
            jobs=2, proof_time="5m", proof_size="1GiB", allow_programs="exe:/bin/s"
        ),
        "nqbench.measure.later_checks.check",
    ),
    "bundle": (
        "bundle a.zip", lambda: stored().bundle("a.zip"), "nqbench.addons.bundle.making.make"
    ),
    "replay": (
        "replay a.zip", lambda: nqbench.replay("a.zip"), "nqbench.addons.bundle.replay.replayed"
    ),
    "trends": (
        "trends results", lambda: nqbench.trends("results"), "nqbench.addons.trends.finding.find"
    ),
    "import": (
        "import times.csv", lambda: stored().import_file("times.csv"),
        "nqbench.addons.importing.adding.read",
    ),
    "import with options": (
        "import times.csv --from csv --map solve_s=T --match file=(?P<backend>.+) --set n=8 "
        "--unit solve_s=ms --word XX=memout --time-limit 5s --memory-limit 1GiB --source theirs",
        lambda: stored().import_files(
            ["times.csv"], kind="csv", columns={"solve_s": "T"}, stated={"n": "8"},
            patterns={"file": "(?P<backend>.+)"}, unit={"solve_s": "ms"}, words={"XX": "memout"},
            time_limit=5, memory_limit="1GiB", source="theirs",
        ),
        "nqbench.addons.importing.adding.read",
    ),
    "merge": (
        "merge results --results r", lambda: nqbench.Results("r").merge("results"),
        "nqbench.records.merging.merge",
    ),
    "measure": (
        "measure glue=(1) --where n>4",
        lambda: nqbench.Results("results", where="n>4").measure("glue=(1)"),
        "nqbench.measure.user_measures.remeasure",
    ),
    "plot": (
        "plot --kind phases", lambda: stored().plot("phases"), "nqbench.show.plots.draw"
    ),
    "report": (
        "report", lambda: stored().report(), "nqbench.show.report.page.write_page"
    ),
    "watch": (
        "watch --n 4", lambda: nqbench.watch(4), "nqbench.addons.teaching.steps.Watched.named"
    ),
}  # fmt: skip
"""A command line, the same call in Python, and the function that both call."""

APART = {
    "again", "announce", "ask", "begin", "caller", "command", "narrator", "note", "observer",
    "progress", "tell", "title", "watch",
    "imported_files", "started", "store", "tracked",
}  # fmt: skip
"""How it is shown, which differs, and what is new in each call."""


@pytest.fixture
def asked(monkeypatch):
    """The values that a call of either kind passes on to a function, by name."""

    def values(call, place):
        module, _, name = place.rpartition(".")
        module, _, kind = module.rpartition(".") if ".named" in place else (module, "", "")
        holder = importlib.import_module(module)
        holder = getattr(holder, kind) if kind else holder
        signature, found = inspect.signature(getattr(holder, name)), []

        def reached(*positional, **named):
            bound = signature.bind(*positional, **named)
            bound.apply_defaults()
            found.append(plain(bound.arguments))
            raise Reached

        with monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            patch.setattr(holder, name, reached)
            call()
        assert found, f"{place} was not called"
        return found[0]

    return values


def plain(value):
    """What can be compared: the fields of objects, in place of these."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in fields(value) if each.compare}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items() if name not in APART}
    if isinstance(value, list | tuple | set):
        return [plain(each) for each in value]
    if isinstance(value, Component):
        return value.name
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, pl.DataFrame):
        return value.rows(named=True)
    return str(value) if isinstance(value, Path) else value


def run_command(words):
    """The command, without what `main` does around it."""
    name, *others = words.split()
    command = app.get_command(None, name)
    done = CliRunner().invoke(command, others, obj=None, **app.context_settings)
    assert isinstance(done.exception, Reached), (done.output, done.exception)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=needs_addon(*re.findall(r"^nqbench\.addons\.(\w+)", place)))
        for name, (_, _, place) in TWINS.items()
    ],
)
def test_a_command_and_its_function_ask_for_the_same(asked, name):
    words, call, place = TWINS[name]
    assert asked(lambda: run_command(words), place) == asked(called(call), place)


def called(call):
    def within():
        with pytest.raises(Reached):
            call()

    return within


STATED = re.compile(r"\b(\d+) (seconds?|minutes?|hours?|GiB)\b")
UNITS = {"second": 1, "minute": 60, "hour": 3600, "GiB": 2**30}


ONE_SIDED = {
    "solve_all": TWINS["solve of all"],
    "use": ("", lambda: nqbench.use(4, backend="minisat22"), TWINS["solve"][2]),
}
"""Functions whose command has another name, or does something else."""


@pytest.mark.parametrize(
    "name", [name for name in nqbench.__all__ if STATED.search(getattr(nqbench, name).__doc__)]
)
def test_the_limits_in_a_docstring_are_the_defaults(asked, name):
    _, call, place = (TWINS | ONE_SIDED)[name]
    stated = {
        int(number) * UNITS[unit.removesuffix("s")]
        for number, unit in STATED.findall(getattr(nqbench, name).__doc__)
    }
    passed = asked(called(call), place)
    limits = passed["limits"] if "limits" in passed else passed["campaign"]["limits"]
    assert stated == {limits["time_s"], limits["memory_bytes"]}


def test_defaults_in_words_are_the_constants():
    solve, solve_all, count = (
        " ".join(each.__doc__.split()) for each in (nqbench.solve, nqbench.solve_all, nqbench.count)
    )
    assert f"The encoding is `{USUAL_ENCODING}` by default" in solve
    assert f"{LARGE_OPTIONS:,} options and more" in solve
    assert f"the backend is `{SOLVER}`" in solve
    assert f"the first {_MOST_PICTURES} as pictures" in solve_all
    first = next(n for n in range(4, 32) if published_count(Queens(n), fundamental=False))
    assert f"from n = {first}" in count
    assert f"[{_TIMES} x the time limit" in settings.BY_NAME["proof-time"].help


TOML = """
[[campaign]]
n = "4..5"
encoding = "pairwise"
backend = "minisat22"
repeat = 2
keep-output = true
measure = ["glue=glue: ([0-9]+)"]
"""
CAMPAIGNS = {
    "": {},
    "--encoding product,ladder --backend cadical195": {
        "encodings": "product, ladder", "backends": ["cadical195"],
    },
    "--measure c=conflicts:([0-9]+) --keep-output": {
        "keep_output": True, "measure": "c=conflicts:([0-9]+)",
    },
    "--n 4..6,8 --repeat 1": {"problems": "4..6,8", "repeat": 1},
    "--shard 2/3": {"shard": (2, 3)},
    "--lenient --amo file,product --cnf a.cnf": {
        "lenient": True, "amo": ["file", "product"], "problems": "a.cnf",
    },
    "own.toml": {"campaign_file": "own.toml"},
    "own.toml --repeat 1": {"campaign_file": "own.toml", "repeat": 1},
    "--suite hard --encoding product --backend minisat22": {
        "suite": "hard", "encodings": "product", "backends": "minisat22",
    },
    "--n 4 --family torus --encoding native --backend cp-sat": {
        "problems": lambda: nqbench.problems_of("torus", 4),
        "encodings": "native", "backends": "cp-sat",
    },
}  # fmt: skip
"""Options of `run`, and the same arguments of `nqbench.run`. Without problems, they are n = 4. Each
setting is in `test_settings.py`.
"""


@pytest.mark.filterwarnings("ignore:left out")
@pytest.mark.parametrize("options", CAMPAIGNS)
def test_run_plans_the_same_runs_in_both(options, monkeypatch, tmp_path):
    (tmp_path / "own.toml").write_text(TOML)
    given, planned = CAMPAIGNS[options], []

    def measure(job, *_):
        runs = sorted((run.id, run.keep_output, [*run.measures]) for run in job.runs)
        planned.append((runs, job.execution, job.folder))
        raise Reached

    monkeypatch.setattr(Job, "measure", measure)
    places = {"suite", "campaign_file", "problems"} & given.keys()
    words = ([] if places else ["--n", "4"]) + options.split()
    done = CliRunner().invoke(app, ["run", *words, "--results", "r"])
    assert isinstance(done.exception, Reached), done.output
    problems = given.get("problems", None if places else 4)
    problems = problems() if callable(problems) else problems
    with pytest.raises(Reached):
        nqbench.run(**given | {"problems": problems, "results": "r"})
    assert planned[0] == planned[1]
    assert planned[0][0]


def test_both_record_the_same_runs():
    words = "--n 4..5 --encoding pairwise,product --backend minisat22 --no-plots -q"
    done = CliRunner().invoke(app, ["run", *words.split(), "--results", "typed"])
    assert done.exit_code == 0, done.output
    nqbench.run("4..5", encodings="pairwise,product", backends="minisat22", results="called")
    fields = "run_id", "encoding", "backend", "repeat", "answer", "verdict", "checked_by"
    typed, called = (nqbench.read(place).select(fields).rows() for place in ("typed", "called"))
    assert typed == called
    assert len(typed) == 12


def test_a_command_and_its_function_make_the_same_runs():
    words = ["optimum", "a.opb", "--backend", "cadical195", "--results", "typed"]
    done = CliRunner().invoke(app, words)
    (found,) = nqbench.optimum(nqbench.formulas("a.opb"), backend="cadical195", results="called")
    assert (done.exit_code, found.state, found.best) == (0, "optimal", 1)
    identity = "encoding", "backend", "task", "run_id"
    typed, called = (nqbench.read(place).select(identity).rows() for place in ("typed", "called"))
    assert sorted(typed) == sorted(called)
