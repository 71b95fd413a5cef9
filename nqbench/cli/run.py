"""`run`: plan, measure, record, draw, summarise."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from nqbench import suites
from nqbench.campaign import (
    ANY_MACHINE,
    DEFAULT_BACKENDS,
    DEFAULT_ENCODINGS,
    Campaign,
    able_backends,
    fitting_encodings,
)
from nqbench.cli.measure import exit_status, measure
from nqbench.cli.options import (
    DURATION,
    SIZE,
    WORKLOAD_OPTIONS,
    names,
    results_option,
    workload_options,
)
from nqbench.cli.results import draw_plots, store_path
from nqbench.cli.summary import print_summary
from nqbench.cli.where import executor_of, where_options
from nqbench.errors import InputError
from nqbench.limits import MemoryBy
from nqbench.record import Run
from nqbench.schedule import Policy
from nqbench.store import Store
from nqbench.suites import SUITES
from nqbench.vocabulary import Task
from nqbench.workload import Workload


@click.command(short_help="Measure encodings and backends over a range of n.")
@click.argument(
    "campaign_file",
    metavar="[CAMPAIGN.TOML]",
    required=False,
    type=click.Path(path_type=Path, dir_okay=False),
)
@workload_options
@click.option(
    "--suite", type=click.Choice(SUITES), help="Boards and backends that belong together."
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
@where_options
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
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Decides the order of the runs, and which random boards.",
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
    /,
    campaign_file: Path | None,
    sizes: list[int] | None,
    family: str,
    densities: list[float] | None,
    instances: int,
    board_files: tuple[Path, ...],
    diagonals: list[int] | Literal["n"] | None,
    suite: str | None,
    executor: str,
    scheduler: str | None,
    jobs: int,
    pin: bool,
    cpus_per_run: int,
    give_up_after: int | None,
    budget: float | None,
    seed: int,
    results: Path,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    plots: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Measure every encoding x backend on every board, check every answer, and draw the plots.

    Each run is a process of its own under limits. What is recorded already under the same
    conditions is not measured again, so that an interrupted campaign goes on where it was.

    Boards are empty ones (--n), random ones (--family, --density, --instances), or come from files
    (--board); or a suite or a TOML file such as examples/campaign.toml says what to measure on, by
    what, and how: there any other option replaces what is said.

    \b
    Examples:
      nqbench run --n 4..30
      nqbench run --n 8..128..8 --encoding pairwise,level1 --backend glucose4 --time-limit 10s
      nqbench run --n 4..12 --encoding all --backend all --repeat 1 --results results/all
      nqbench run --n 4..10 --task all --backend minisat22,pyeda,backtracking
      nqbench run --n 8..256..8 --budget 10m --give-up-after 3
      nqbench run --n 20 --shuffle-clauses 1 --repeat 20 --backend glucose4
      nqbench run --family excluded-diagonals --n 8..16 --density 0.5..1.5..0.1 --instances 20
      nqbench run --board boards/ --diagonals n --backend cadical195,cp-sat
      nqbench run --suite hard --jobs 2 --results results/hard
      nqbench run examples/campaign.toml --dry-run
    """
    if scheduler and "jobs" in _said(context):
        raise InputError("--jobs is for this machine: a cluster does as many runs as it has slots")
    workload = Workload(
        sizes=sizes or (),
        family=family,
        densities=densities or (),
        instances=instances,
        seed=seed,
        files=board_files,
        diagonals=diagonals,
    )
    said = _said(context)
    if suite is not None or campaign_file is not None:
        planned = _of_file(said, suite, campaign_file)
    elif sizes is None and not board_files:
        raise InputError("say which boards: --n 4..30, --board, --suite, or a campaign file")
    else:
        problems, left_out = workload.problems()
        planned = [Campaign(problems=problems, left_out=left_out)]
        said = how | {"seed": seed}
    campaigns = [_with_options(campaign, said) for campaign in planned]
    for note in (note for campaign in campaigns for note in campaign.left_out):
        click.echo(f"nqbench: left out: {note}", err=True)
    machine = ANY_MACHINE if scheduler else None
    runs = list({run.id: run for c in campaigns for run in c.runs(machine)}.values())
    where = executor_of(executor, scheduler, jobs, cpus_per_run, pin)
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
            executor_of=where,
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


def _said(context: click.Context) -> dict[str, Any]:
    """The options that stand on the command line."""
    given = click.core.ParameterSource.COMMANDLINE
    return {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name) is given
    }


def _of_file(
    said: Mapping[str, Any], suite: str | None, campaign_file: Path | None
) -> list[Campaign]:
    from nqbench import campaign_file as reader

    if suite is not None and campaign_file is not None:
        raise InputError("a suite and a campaign file are two campaigns: start one after the other")
    for parameter, option in WORKLOAD_OPTIONS.items():
        if parameter in said:
            raise InputError(f"{option} says which boards, and so does the suite or campaign file")
    path = campaign_file or suites.path(str(suite))
    return reader.read(path)


def _with_options(campaign: Campaign, said: Mapping[str, Any]) -> Campaign:
    """The campaign with what the options say in place of what it said."""
    task = Task(said.get("task", campaign.task))
    backends = names(
        said.get("backends", ()), tuple(campaign.backends), lambda: _every_able_backend(task)
    )
    encodings = names(
        said.get("encodings", ()),
        tuple(campaign.encodings or ()),
        lambda: fitting_encodings(backends),
    )
    limits = campaign.limits
    return replace(
        campaign,
        encodings=encodings,
        backends=backends,
        task=task,
        repeat=said.get("repeat", campaign.repeat),
        limits=replace(
            limits,
            time_s=said.get("time_limit", limits.time_s),
            memory_bytes=said.get("memory_limit", limits.memory_bytes),
            cpu_s=said.get("cpu_limit", limits.cpu_s),
            memory_by=MemoryBy(said.get("memory_limit_by", limits.memory_by)),
        ),
        shuffle=said.get("shuffle", campaign.shuffle),
        seed=said.get("seed", campaign.seed),
    )


def _every_able_backend(task: Task) -> list[str]:
    """The backends that `all` stands for; the others are listed with the reason."""
    reasons = able_backends(task)
    for name, reason in reasons.items():
        if reason is not None:
            click.echo(f"nqbench: left out {name}: {reason}", err=True)
    return [name for name, reason in reasons.items() if reason is None]


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
