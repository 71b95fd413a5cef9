"""Options of the benchmarks, and a table of each group's ratio to its peer."""

import gc
import warnings

import pytest
from pytest_benchmark.logger import PytestBenchmarkWarning


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


def pytest_configure(config):
    config.addinivalue_line("markers", "on_request: takes more than two minutes")
    # The warning that nothing was measured would, as an error, hide the reason.
    warnings.filterwarnings("default", category=PytestBenchmarkWarning)
    if config.getoption("--smallest"):
        config.option.benchmark_disable = True


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


@pytest.fixture(autouse=True)
def forget_earlier_benchmarks():
    """Hide the objects of earlier benchmarks from the garbage collector."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter, config):
    session = getattr(config, "_benchmarksession", None)
    medians = {}
    for benchmark in session.benchmarks if session else []:
        side = benchmark.extra_info.get("side")
        if side:
            medians.setdefault(benchmark.group, {})[side] = benchmark.stats.median
    for group, sides in medians.items():
        if len(sides) == 2:
            ratio = sides["peer"] / sides["nqbench"]
            terminalreporter.write_line(f"{group}: the peer takes {ratio:.1f} x as long")
