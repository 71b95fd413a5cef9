"""`run`: plan, measure, record, draw, summarise."""

from collections.abc import Sequence
from pathlib import Path

import click

from nqbench.campaign import (
    DEFAULT_BACKENDS,
    DEFAULT_ENCODINGS,
    Campaign,
    able_backends,
    fitting_encodings,
)
from nqbench.cli.measure import exit_status, measure
from nqbench.cli.options import DURATION, RANGE, SIZE, names, results_option
from nqbench.cli.results import draw_plots, print_summary, store_path
from nqbench.errors import InputError
from nqbench.limits import Limits, MemoryBy
from nqbench.problem import EMPTY_BOARDS, Problem
from nqbench.record import Run
from nqbench.schedule import Policy
from nqbench.store import Store
from nqbench.vocabulary import Task


@click.command(short_help="Measure encodings and backends over a range of n.")
@click.argument(
    "campaign_file",
    metavar="[CAMPAIGN.TOML]",
    required=False,
    type=click.Path(path_type=Path, dir_okay=False),
)
@click.option(
    "--n",
    "sizes",
    type=RANGE,
    metavar="RANGE",
    help="Board sizes: 8, 4..30, 4..30..2 (step), or a mix by comma.",
)
@click.option(
    "--family", type=click.Choice(EMPTY_BOARDS), default=EMPTY_BOARDS[0], show_default=True
)
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
@click.option("--cpu-limit", type=DURATION, help="CPU time of one run, all its processes together.")
@click.option(
    "--memory-limit", type=SIZE, default="4GiB", show_default=True, help="Memory of one run."
)
@click.option(
    "--memory-limit-by",
    type=click.Choice([by.value for by in MemoryBy]),
    default="address-space",
    show_default=True,
    help="What counts as memory: what is reserved, or what is used.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Runs at the same time. More than 1 disturbs the timings.",
)
@click.option(
    "--pin/--no-pin", default=True, help="Whether each job has physical cores of its own."
)
@click.option(
    "--cpus-per-run",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Cores of a job, for solvers with several threads.",
)
@click.option(
    "--shuffle-clauses",
    "shuffle",
    type=click.IntRange(min=0),
    metavar="SEED",
    help="Give each repeat the clauses in another order and under other names.",
)
@click.option(
    "--give-up-after",
    type=click.IntRange(min=1),
    metavar="RUNS",
    help="Skip larger n of a pair after so many timeouts or memouts in a row.",
)
@click.option("--budget", type=DURATION, help="Time for all runs together; small n come first.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Decides the order of the runs."
)
@results_option
@click.option("--fresh", is_flag=True, help="Measure again what is already recorded.")
@click.option("--retry-failed", is_flag=True, help="Measure again what crashed or was missing.")
@click.option("--dry-run", is_flag=True, help="Say what would be run, and stop.")
@click.option("--plots/--no-plots", default=True, help="Whether to draw the plots at the end.")
@click.option("--quiet", is_flag=True, help="No progress, only the summary.")
@click.pass_context
def run(
    context: click.Context,
    campaign_file: Path | None,
    sizes: list[int] | None,
    family: str,
    encodings: tuple[str, ...],
    backends: tuple[str, ...],
    task: str,
    repeat: int,
    time_limit: float,
    cpu_limit: float | None,
    memory_limit: int,
    memory_limit_by: str,
    jobs: int,
    pin: bool,
    cpus_per_run: int,
    shuffle: int | None,
    give_up_after: int | None,
    budget: float | None,
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

    What the options cannot say stands in a TOML file, such as examples/campaign.toml.

    \b
    Examples:
      nqbench run --n 4..30
      nqbench run --n 8..128..8 --encoding pairwise,level1 --backend glucose4 --time-limit 10s
      nqbench run --n 4..12 --encoding all --backend all --repeat 1 --results results/all
      nqbench run --n 4..10 --task all --backend minisat22,pyeda,backtracking
      nqbench run --n 8..256..8 --budget 10m --give-up-after 3
      nqbench run --n 20 --shuffle-clauses 1 --repeat 20 --backend glucose4
      nqbench run examples/campaign.toml --dry-run
    """
    if campaign_file is not None:
        _refuse_what_the_file_says(context)
        from nqbench import campaign_file as reader

        campaigns = reader.read(campaign_file)
    elif sizes is None:
        raise InputError("say which boards: --n 4..30, or a campaign file")
    else:
        asked = Task(task)
        chosen = names(backends, DEFAULT_BACKENDS, lambda: _every_able_backend(asked))
        campaigns = [
            Campaign(
                problems=[Problem(n, family) for n in sizes],
                encodings=names(encodings, (), lambda: fitting_encodings(chosen)),
                backends=chosen,
                task=asked,
                repeat=repeat,
                limits=Limits(
                    time_s=time_limit,
                    memory_bytes=memory_limit,
                    cpu_s=cpu_limit,
                    memory_by=MemoryBy(memory_limit_by),
                ),
                shuffle=shuffle,
                seed=seed,
            )
        ]
    runs = list({run.id: run for campaign in campaigns for run in campaign.runs()}.values())
    cpus = _cpus(jobs, cpus_per_run, pin)
    _check_memory_limits(runs)
    if dry_run:
        _describe(runs, results, jobs, retry_failed)
        return 0
    with Store(store_path(results)) as store:
        if fresh:
            store.forget(run.id for run in runs)
        measure(
            runs,
            store,
            policy=Policy(give_up_after, budget),
            jobs=jobs,
            cpus=cpus,
            retry_failed=retry_failed,
            quiet=quiet,
        )
        records = store.frame(run.id for run in runs)
    if records.is_empty():
        raise InputError("the budget was used up before the first run")
    if plots:
        draw_plots(records, results)
    print_summary(records)
    click.echo(f"records: {store.path} ({len(records)} of this campaign)", err=True)
    return exit_status(records)


_IN_THE_FILE = {
    "sizes": "--n",
    "family": "--family",
    "encodings": "--encoding",
    "backends": "--backend",
    "task": "--task",
    "repeat": "--repeat",
    "time_limit": "--time-limit",
    "cpu_limit": "--cpu-limit",
    "memory_limit": "--memory-limit",
    "memory_limit_by": "--memory-limit-by",
    "shuffle": "--shuffle-clauses",
    "seed": "--seed",
}


def _refuse_what_the_file_says(context: click.Context) -> None:
    for parameter, option in _IN_THE_FILE.items():
        if context.get_parameter_source(parameter) is click.core.ParameterSource.COMMANDLINE:
            raise InputError(f"{option} belongs into the campaign file, if there is one")


def _every_able_backend(task: Task) -> list[str]:
    """The backends that `all` stands for; the others are listed with the reason."""
    reasons = able_backends(task)
    for name, reason in reasons.items():
        if reason is not None:
            click.echo(f"nqbench: left out {name}: {reason}", err=True)
    return [name for name, reason in reasons.items() if reason is None]


def _cpus(jobs: int, cpus_per_run: int, pin: bool) -> list[list[int]] | None:
    from nqbench import cpus

    return cpus.assign(jobs, cpus_per_run) if pin else None


def _check_memory_limits(runs: Sequence[Run]) -> None:
    """Find out before the first run whether there are control groups, if any is to have one."""
    from nqbench.cgroup import MemoryGroup

    for limits in {run.limits for run in runs}:
        if limits.memory_by is MemoryBy.CGROUP:
            MemoryGroup.create(limits.memory_bytes).remove()


def _describe(runs: Sequence[Run], results: Path, jobs: int, retry_failed: bool) -> None:
    """The plan, and what it will take as far as earlier records tell."""
    sizes = {run.problem.n for run in runs}
    pairs = sorted({f"{run.encoding} x {run.backend}" for run in runs})
    click.echo(
        f"{len(runs)} runs: n {min(sizes)}..{max(sizes)} ({len({r.problem for r in runs})} boards) "
        f"x {len(pairs)} pairs of encoding and backend ({', '.join(pairs)}) "
        f"x {max(run.repeat for run in runs) + 1} repeats, "
        f"at most {max(run.limits.time_s for run in runs):g} s each"
    )
    path = store_path(results)
    if not path.exists():
        click.echo("nothing is recorded yet: no estimate")
        return
    from nqbench.estimate import estimate

    with Store(path) as store:
        recorded = store.recorded(retry_failed)
        missing = [run for run in runs if run.id not in recorded]
        expected = estimate(missing, store.frame())
    unknown = ""
    if expected.without_precedent:
        unknown = (
            f", and {expected.without_precedent} runs without precedent "
            f"(at most {expected.at_most_s / jobs:.0f} s)"
        )
    click.echo(
        f"{len(runs) - len(missing)} are recorded; the other {len(missing)} take about "
        f"{expected.seconds / jobs:.0f} s by what is recorded{unknown}"
    )
