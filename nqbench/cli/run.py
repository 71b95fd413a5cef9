"""`run`: plan, measure, record, draw, summarise."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import click

from nqbench.cli import plan
from nqbench.cli.execution import Execution, execution_options
from nqbench.cli.measure import Narrator, exit_status
from nqbench.cli.options import DURATION, results_option, said_on
from nqbench.cli.report import update_report
from nqbench.cli.request import request_options
from nqbench.cli.results import draw_plots, store_path
from nqbench.cli.summary import print_summary
from nqbench.cli.workload import workload_options
from nqbench.errors import InputError
from nqbench.instances.formula import Formula
from nqbench.plan.request import Request
from nqbench.plan.schedule import Policy
from nqbench.plan.suites import SUITES
from nqbench.plan.workload import Workload
from nqbench.records.store import Store


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
@request_options
@execution_options
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
    request: Request,
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
    from nqbench import runner  # NumPy and more, which --help can do without

    said = said_on(context)
    if execution.scheduler and "jobs" in said:
        raise InputError("--jobs is for this machine: a cluster does as many runs as it has slots")
    workload = replace(workload, seed=request.seed or 0)
    runs = plan.runs(said, suite, campaign_file, workload, request, execution)
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
        runner.run(
            runs,
            store,
            execution.executor_of,
            policy=Policy(give_up_after, budget),
            fresh=fresh,
            retry_failed=retry_failed,
            command=shlex.join(["nqbench", *sys.argv[1:]]),
            observer=Narrator(quiet, fresh),
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
