"""Prints, after the table, how many times as long the peer of each group takes."""


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
