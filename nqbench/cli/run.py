"""`run`: plan, measure, record, draw, summarise."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench.campaign import (
    DEFAULT_BACKENDS,
    DEFAULT_ENCODINGS,
    Campaign,
    able_backends,
    fitting_encodings,
)
from nqbench.cli.options import DURATION, RANGE, SIZE, names, results_option
from nqbench.cli.progress import CampaignProgress
from nqbench.cli.results import draw_plots, print_summary, store_path
from nqbench.limits import Limits
from nqbench.problem import FAMILIES, Problem
from nqbench.record import Run
from nqbench.store import Store
from nqbench.vocabulary import Task

if TYPE_CHECKING:
    import polars as pl


@click.command(short_help="Measure encodings and backends over a range of n.")
@click.option(
    "--n",
    "sizes",
    type=RANGE,
    required=True,
    metavar="RANGE",
    help="Board sizes: 8, 4..30, 4..30..2 (step), or a mix by comma.",
)
@click.option("--family", type=click.Choice(FAMILIES), default="queens", show_default=True)
@click.option(
    "--encoding",
    "encodings",
    multiple=True,
    metavar="NAME",
    help="Repeat, or separate by comma; 'all' for every one that fits. "
    f"[default: {','.join(DEFAULT_ENCODINGS)}]",
)
@click.option(
    "--backend",
    "backends",
    multiple=True,
    metavar="NAME",
    help="In the same way; 'all' for every one that works here. "
    f"[default: {','.join(DEFAULT_BACKENDS)}]",
)
@click.option(
    "--task",
    type=click.Choice([task.value for task in Task]),
    default="first",
    show_default=True,
    help="Ask for the first solution, or for all.",
)
@click.option("--repeat", type=click.IntRange(min=1), default=3, show_default=True)
@click.option(
    "--time-limit",
    type=DURATION,
    default="30s",
    show_default=True,
    help="Wall-clock time of one run.",
)
@click.option(
    "--memory-limit",
    type=SIZE,
    default="4GiB",
    show_default=True,
    help="Address space of one run.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Runs at the same time. More than 1 disturbs the timings.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Decides the order of the runs."
)
@results_option
@click.option("--fresh", is_flag=True, help="Measure again what is already recorded.")
@click.option("--retry-failed", is_flag=True, help="Measure again what crashed or was missing.")
@click.option("--dry-run", is_flag=True, help="Say what would be run, and stop.")
@click.option("--plots/--no-plots", default=True, help="Whether to draw the plots at the end.")
@click.option("--quiet", is_flag=True, help="No progress, only the summary.")
def run(
    sizes: list[int],
    family: str,
    encodings: tuple[str, ...],
    backends: tuple[str, ...],
    task: str,
    repeat: int,
    time_limit: float,
    memory_limit: int,
    jobs: int,
    seed: int,
    results: Path,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    plots: bool,
    quiet: bool,
) -> int:
    """Measure every encoding x backend for every n, check every answer, and draw the plots.

    Each run is a process of its own under limits. What is recorded already under the same
    conditions is not measured again, so that an interrupted campaign goes on where it was.

    \b
    Examples:
      nqbench run --n 4..30
      nqbench run --n 8..128..8 --encoding pairwise,level1 --backend glucose4 --time-limit 10s
      nqbench run --n 4..12 --encoding all --backend all --repeat 1 --results results/all
      nqbench run --n 4..10 --task all --backend minisat22,pyeda,backtracking
    """
    asked = Task(task)
    chosen = names(backends, DEFAULT_BACKENDS, lambda: _every_able_backend(asked))
    campaign = Campaign(
        problems=[Problem(n, family) for n in sizes],
        encodings=names(encodings, (), lambda: fitting_encodings(chosen)),
        backends=chosen,
        task=asked,
        repeat=repeat,
        limits=Limits(time_limit, memory_limit),
        seed=seed,
    )
    runs = campaign.runs()
    if dry_run:
        _describe(campaign, runs)
        return 0
    with Store(store_path(results)) as store:
        if fresh:
            store.forget(run.id for run in runs)
        recorded = store.recorded(retry_failed)
        missing = [run for run in runs if run.id not in recorded]
        if missing:
            _measure(missing, jobs, store, quiet)
        elif not quiet:
            click.echo(f"all {len(runs)} runs are recorded already", err=True)
        records = store.frame(run.id for run in runs)
    if plots:
        draw_plots(records, results)
    print_summary(records)
    click.echo(f"records: {store.path} ({len(records)} of this campaign)", err=True)
    return _exit_status(records)


def _every_able_backend(task: Task) -> list[str]:
    """The backends that `all` stands for; the others are listed with the reason."""
    reasons = able_backends(task)
    for name, reason in reasons.items():
        if reason is not None:
            click.echo(f"nqbench: left out {name}: {reason}", err=True)
    return [name for name, reason in reasons.items() if reason is None]


def _measure(runs: Sequence[Run], jobs: int, store: Store, quiet: bool) -> None:
    from nqbench.runner import Runner

    with Runner(runs, jobs) as runner, CampaignProgress(len(runs), quiet) as progress:
        for environment in runner.environments:
            store.add_environment(environment)
        for name, reason in runner.unavailable.items():
            click.echo(f"nqbench: {name} is unavailable: {reason}", err=True)
        for record in runner.records():
            store.add(record)
            progress.update(record)


def _describe(campaign: Campaign, runs: Sequence[Run]) -> None:
    sizes = {problem.n for problem in campaign.problems}
    pairs = sorted({f"{run.encoding} x {run.backend}" for run in runs})
    click.echo(
        f"{len(runs)} runs: n {min(sizes)}..{max(sizes)} "
        f"({len(sizes)} sizes) x {len(pairs)} pairs of encoding and backend "
        f"({', '.join(pairs)}) x {campaign.repeat} repeats, "
        f"at most {campaign.limits.time_s:g} s each"
    )


def _exit_status(records: "pl.DataFrame") -> int:
    """Name what was refuted, what crashed, and who disagrees; 1 if there is any of it."""
    import polars as pl

    from nqbench.summary import disagreements

    bad = records.filter((pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed"))
    for row in bad.head(10).iter_rows(named=True):
        what = "wrong answer" if row["verdict"] == "refuted" else "crash"
        where = f"{row['family']} n={row['n']} {row['encoding']} {row['backend']}"
        click.echo(f"nqbench: {what}: {where}: {row['message']}", err=True)
    if len(bad) > 10:
        click.echo(f"nqbench: and {len(bad) - 10} more", err=True)
    disputed = disagreements(records)
    for row in disputed.head(10).iter_rows(named=True):
        problem = Problem(row["n"], row["family"], instance=row["instance"])
        by = ", ".join(row["by"][:4]) + (" and others" if len(row["by"]) > 4 else "")
        click.echo(f"nqbench: disagreement: {problem}: {row['said']} according to {by}", err=True)
    return 1 if len(bad) or len(disputed) else 0
