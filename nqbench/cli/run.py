"""`run`: plan, measure, record, draw, summarise."""

from pathlib import Path
from typing import Any

import click

from nqbench.cli import plan
from nqbench.cli.execution import Execution, execution_options
from nqbench.cli.measure import exit_status, measure
from nqbench.cli.options import BACKEND, DURATION, ENCODING, SIZE, results_option, said_on
from nqbench.cli.report import update_report
from nqbench.cli.results import draw_plots, store_path
from nqbench.cli.summary import print_summary
from nqbench.cli.workload import workload_options
from nqbench.errors import InputError
from nqbench.instances.formula import Formula
from nqbench.limits import MemoryBy
from nqbench.plan import defaults
from nqbench.plan.schedule import Policy
from nqbench.plan.suites import SUITES
from nqbench.plan.workload import Workload
from nqbench.records.store import Store
from nqbench.vocabulary import Task


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
    type=ENCODING,
    help="Repeat, or separate by comma; 'all' for every one that fits. "
    f"[default: {','.join(defaults.ENCODINGS)}, if installed]",
)
@click.option(
    "--backend",
    "backends",
    multiple=True,
    type=BACKEND,
    help="In the same way; 'all' for every one that works here. "
    f"[default: {','.join(defaults.BACKENDS)}, if installed]",
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
@execution_options
@click.option(
    "--shuffle-clauses",
    "shuffle",
    type=click.IntRange(0, 2**63 - 1),
    metavar="SEED",
    help="Give each repeat the clauses in another order and under other names.",
)
@click.option(
    "--give-up-after",
    type=click.IntRange(min=1),
    metavar="RUNS",
    help="Skip larger n of a pair after so many timeouts or memouts in a row.",
)
@click.option("--budget", type=DURATION, help="Time in which runs are started; small n come first.")
@results_option
@click.option("--fresh", is_flag=True, help="Measure again what is already recorded.")
@click.option("--retry-failed", is_flag=True, help="Measure again what crashed.")
@click.option("--dry-run", is_flag=True, help="Say what would be run, and stop.")
@click.option(
    "--plots/--no-plots", default=True, help="Draw the plots and write the report at the end."
)
@click.option("--quiet", is_flag=True, help="No progress, only the summary.")
@click.pass_context
def run(
    context: click.Context,
    /,
    workload: Workload,
    execution: Execution,
    campaign_file: Path | None,
    suite: str | None,
    give_up_after: int | None,
    budget: float | None,
    results: Path,
    fresh: bool,
    retry_failed: bool,
    dry_run: bool,
    plots: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Measure every encoding x backend on every board, check every answer, and draw the plots; or
    every backend on formulas of your own (--cnf).

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
      nqbench run --cnf formulas/ --backend glucose4,cadical195,kissat404 --time-limit 60s
      nqbench run --n 4..64 --scheduler tcp://node1:8786 --results results/cluster
      nqbench run examples/campaign.toml --dry-run
    """
    said = said_on(context)
    if execution.scheduler and "jobs" in said:
        raise InputError("--jobs is for this machine: a cluster does as many runs as it has slots")
    if suite is None and campaign_file is None:
        if not (workload.sizes or workload.files or workload.formulas):
            raise InputError("say on what: --n 4..30, --board, --cnf, --suite, or a campaign file")
        said = how | {"seed": workload.seed}
    runs = plan.runs(said, suite, campaign_file, workload, execution)
    if give_up_after and any(isinstance(run.problem, Formula) for run in runs):
        raise InputError("--give-up-after is for boards: formulas are in no order of size")
    execution.check()
    if not execution.scheduler:
        plan.check_memory_limits(runs)
    if dry_run:
        plan.describe(runs, results, execution.jobs, retry_failed)
        if not execution.scheduler:
            plan.tell_unavailable(runs)
        return 0
    with Store(store_path(results)) as store:
        measure(
            runs,
            store,
            policy=Policy(give_up_after, budget),
            executor_of=execution.executor_of,
            fresh=fresh,
            retry_failed=retry_failed,
            quiet=quiet,
        )
        records = store.frame(run.id for run in runs)
    if records.is_empty():
        raise InputError("the budget was used up before the first run")
    if plots:
        draw_plots(records, results)
        update_report(results)
    print_summary(records)
    click.echo(f"records: {store.path} ({len(records)} of this campaign)", err=True)
    if set(records["outcome"]) == {"unavailable"}:
        raise InputError("nothing was measured: what was asked for is not available here")
    return exit_status(records)
