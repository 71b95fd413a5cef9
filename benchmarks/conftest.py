"""Options of the benchmarks, and the figures that they report to pages."""

import gc
import statistics
import warnings
from datetime import UTC, datetime
from pathlib import Path

import commands
import figures
import pytest
from pytest_benchmark.logger import PytestBenchmarkWarning

from nqbench.common.machine import environment

ROOT = Path(__file__).parents[1]
REPORTED = pytest.StashKey[dict[str, figures.Figure]]()
MEDIANS = pytest.StashKey[dict[str, dict[str, float]]]()
DATE = pytest.StashKey[str]()
ENVIRONMENT = pytest.StashKey[environment.Environment]()
PEERS = [
    *("benchexec", "cryptography", "dask", "distributed", "dratify"),
    *("pindakaas", "pycryptosat", "pyeda", "python-sat"),
]
"""Distributions whose versions are noted with the figures."""


def pytest_addoption(parser):
    group = parser.getgroup("benchmarks")
    group.addoption(
        "--smallest",
        action="store_true",
        help="everything once and as small as can be, to see that it works; figures mean nothing",
    )
    group.addoption(
        "--on-request", action="store_true", help="also what takes more than two minutes"
    )
    group.addoption(
        "--figures",
        type=Path,
        metavar="PATH",
        help="renew the figures in this file, if all tests pass; with --smallest write a new file "
        "with their names only",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "on_request: takes more than two minutes")
    # The warning that nothing was measured would, as an error, hide the reason.
    warnings.filterwarnings("default", category=PytestBenchmarkWarning)
    if config.getoption("--smallest"):
        config.option.benchmark_disable = True
    path = config.getoption("--figures")
    if path is not None and path.exists():
        figures.read(path)  # a broken file is noticed before anything is measured
    config.stash[REPORTED] = {}
    config.stash[MEDIANS] = {}
    config.stash[DATE] = f"{datetime.now(UTC):%Y-%m-%d}"
    config.stash[ENVIRONMENT] = environment.current(PEERS)


def pytest_collection_modifyitems(config, items):
    if config.getoption("--smallest") or config.getoption("--on-request"):
        return
    for item in items:
        if item.get_closest_marker("on_request"):
            item.add_marker(pytest.mark.skip(reason="takes minutes: add --on-request"))


@pytest.fixture(scope="session")
def scaled(pytestconfig):
    """Choose between the size to measure and a small size that only shows that it works."""
    smallest = pytestconfig.getoption("--smallest")
    return lambda full, least: least if smallest else full


@pytest.fixture(scope="session")
def cost(scaled):
    """Run a command and return its cost. In small, only what it prints means something."""
    return scaled(commands.cost, commands.uncosted)


@pytest.fixture(autouse=True)
def forget_earlier_benchmarks():
    """Hide the objects of earlier benchmarks from the garbage collector."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def figure(request):
    """Report a figure to the pages: `figure(name, value, unit)`. None is a value that could not be
    measured here.
    """
    stash, smallest = request.config.stash, request.config.getoption("--smallest")

    def report(name, value, unit):
        assert name not in stash[REPORTED], f"two figures are named {name}"
        if value is None and not smallest:
            return
        stash[REPORTED][name] = figures.Figure(
            value=None if smallest else figures.rounded(value),
            unit=unit,
            benchmark=request.path.relative_to(ROOT).as_posix(),
            on_request=request.node.get_closest_marker("on_request") is not None,
            date=stash[DATE],
            environment=stash[ENVIRONMENT].id,
        )

    return report


@pytest.fixture
def side_of(request, benchmark, figure):
    """Call `side_of(name, side)` after the benchmark of a side, "nqbench" or "peer". The figure is
    how many times as long the peer takes.
    """

    def report(name, side):
        sides = request.config.stash[MEDIANS].setdefault(name, {})
        sides[side] = None if benchmark.disabled else statistics.median(benchmark.stats.stats.data)
        if len(sides) == 2:
            figure(name, None if benchmark.disabled else sides["peer"] / sides["nqbench"], "x")

    return report


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    reported, path = config.stash[REPORTED], config.getoption("--figures")
    for name, figure in reported.items():
        terminalreporter.write_line(f"{name}: {figure.value} {figure.unit}")
    if path is not None and reported:
        terminalreporter.write_line(kept(config, path, exitstatus))


def kept(config, path, exitstatus):
    """Write the figures if they mean something, and return what was done."""
    if exitstatus != pytest.ExitCode.OK:
        return f"{path} is unchanged: not all tests passed"
    if config.getoption("--smallest") and path.exists():
        return f"{path} is unchanged: figures of --smallest mean nothing"
    here = config.stash[ENVIRONMENT]
    new = figures.Figures({here.id: here}, config.stash[REPORTED])
    before = figures.read(path) if path.exists() else figures.NO_FIGURES
    figures.write(path, before.renewed(new))
    return f"{len(new.figures)} figures written to {path}; renew pages: python tools/generate.py"
