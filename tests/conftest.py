"""Known values, and fixtures that call nqbench as a user does."""

import contextlib
import fcntl
import functools
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import addons
import direct_calls
import pytest
from called_here import called_here
from hypothesis import HealthCheck, settings
from once import made_once
from places import DATA, FAULTY, LIES
from warm import Warm
from warm_servers import Servers

from nqbench import isolate
from nqbench.campaign.executors import interpreter
from nqbench.checking import proof
from nqbench.isolate import fork
from nqbench.plugins.loading import _entry_points
from nqbench.records.store import Store

LONGEST_S = 1200
"""No command takes so long, also on a busy machine."""

collect_ignore = ["helpers"]
collect_ignore_glob = ["addons/*/calls.py"]


def pytest_addoption(parser):
    parser.addoption(
        "--kinds", help=f"of the tests of add-ons only these folders: {','.join(addons.KINDS)}"
    )


def pytest_ignore_collect(collection_path, config):
    """Of the tests of add-ons, only those of the kinds that are asked for."""
    kinds = config.getoption("kinds")
    is_kind = collection_path.parent.parent == addons.TESTS and collection_path.name in addons.KINDS
    return True if kinds and is_kind and collection_path.name not in kinds.split(",") else None


# Tests run side by side, and tables are small: more threads only take turns, or wait in a loop.
for name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# On a busy machine an example may take long, which says nothing about the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# Tables are as wide as in a pipe, whatever terminal the tests are started from.
os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session")
def known_values():
    return json.loads((DATA / "known_values.json").read_text())


@contextlib.contextmanager
def plugin(folder):
    """Install a plugin for this process and for those it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", str(folder))
        _entry_points.cache_clear()
        yield
    _entry_points.cache_clear()  # after the plugin is gone from the path


@pytest.fixture
def faulty_plugin():
    with plugin(FAULTY):
        yield


@pytest.fixture
def lies_plugin():
    with plugin(LIES):
        yield


@pytest.fixture
def cluster(tmp_path):
    from dask_cluster import Cluster

    made = Cluster(tmp_path)
    yield made
    for name in list(made.processes):
        made.kill(name)


@pytest.fixture(scope="session", autouse=True)
def servers():
    """Fork servers that start faster, for the campaigns of tests in this process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does
    with contextlib.closing(Servers()) as started, pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpreter, "start", started.start)
        yield started


@pytest.fixture(scope="session")
def nqbench_in():
    """The command line in a given folder, with the faulty plugin installed.

    In a forked process if that can have the environment, since it starts faster. With
    `plugin=False`, the faulty plugin is not installed.
    """

    def usual(plugin=True):
        added = {"NO_COLOR": "1"} | ({"PYTHONPATH": str(FAULTY)} if plugin else {})
        return {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"} | added

    with contextlib.closing(Warm(usual())) as warm:

        def within(folder):
            def call(*arguments, plugin=True, **options):
                words, environment = list(map(str, arguments)), usual(plugin)
                if options.keys() <= {"input"} and warm.serves(environment):
                    typed = options.get("input", "")
                    return warm.run(words, folder, LONGEST_S, typed, environment=environment)
                return subprocess.run(
                    [sys.executable, "-m", "nqbench", *words],
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=LONGEST_S,
                    **options,
                )

            return call

        yield within


@pytest.fixture
def nqbench(nqbench_in, tmp_path):
    """The command line in an empty folder for this test."""
    return nqbench_in(tmp_path)


@pytest.fixture
def typed(tmp_path):
    """The same in this process, without the faulty plugin: for commands that measure nothing."""
    return functools.partial(called_here, tmp_path)


@pytest.fixture
def drawn(nqbench_in, tmp_path_factory, tmp_path):
    """The folder of this test with the results, plots and page of four runs, measured once."""

    def measure(folder):
        words = "run --n 4..5 --encoding pairwise --backend minisat22,cadical195 --repeat 1"
        done = nqbench_in(folder)(*words.split())
        assert done.returncode == 0, done.stderr

    made = made_once(tmp_path_factory, "drawn", measure)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def store(tmp_path):
    """An empty store, where the command line of this test looks for it."""
    with Store(tmp_path / "results" / "nqbench.db") as opened:
        yield opened


@pytest.fixture
def servers_are_children(servers, monkeypatch):
    """Start them as nqbench does, for a test that looks for them."""
    monkeypatch.setattr(interpreter, "start", servers.start_slowly)


@pytest.fixture
def called_directly(monkeypatch):
    """Call functions in this process that have one of their own, for a test of what they do: to
    fork a process with all modules of the tests takes 20 ms.
    """
    monkeypatch.setattr(isolate, "call", direct_calls.call)
    monkeypatch.setattr(fork, "call", direct_calls.call)
    monkeypatch.setattr(proof, "bound_files", lambda _: None)  # of the whole process


@pytest.fixture
def nothing_is_left_behind(servers_are_children):
    """Check that the test leaves no open descriptor and no child process."""

    def descriptors():
        return sorted(path.name for path in Path("/proc/self/fd").iterdir())

    def children():
        found = set()
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(FileNotFoundError):  # a thread that has just ended
                found |= {*(task / "children").read_text().split()}
        return found

    gc.collect()  # first collect the garbage of earlier tests
    # Dask leaves a process to the tests after it, which tracks its shared memory.
    before = descriptors(), children()
    yield
    assert (descriptors(), children()) == before


@pytest.fixture(scope="module")
def browser():
    """Chromium, without a window; it keeps what pages log and request."""
    from chromium import started

    opened = started()
    if opened is None:
        pytest.skip("the page is driven in a browser: install chromium and chromium-driver")
    yield opened
    opened.quit()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """In a new environment, let one worker import everything before the others do: to compile it
    takes longer than to import it.
    """
    cache = getattr(session.config, "cache", None)
    if not cache or "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    compiled = cache.mkdir("compiled") / "done"
    if not compiled.exists():
        with (compiled.parent / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not compiled.exists():
                result = yield
                compiled.touch()
                return result
    return (yield)


def pytest_collection_finish(session):
    """Never look for garbage among what was imported and collected: that takes 0.2 s each time."""
    gc.freeze()
    gc.enable()


def pytest_configure(config):
    """Let tests that run in parallel claim cores separately."""
    gc.disable()  # until the tests are collected
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        folder = Path(tempfile.gettempdir()) / f"nqbench-tests-{os.getuid()}-{worker}"
        folder.mkdir(exist_ok=True)
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
