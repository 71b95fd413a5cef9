"""`run`: plan, measure, record, draw, summarise."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from nqbench.campaign.execution import Execution
from nqbench.campaign.executors.interpreter import start_ahead, stop_ahead
from nqbench.campaign.narrator import Narrator
from nqbench.campaign.progress import display
from nqbench.cli.commands.check import CheckProgress
from nqbench.cli.commands.report import updating_report
from nqbench.cli.options.campaign_options import Requested, campaign_options
from nqbench.cli.options.option_group import option_group
from nqbench.cli.options.results_folder import (
    are_drawn,
    draw_plots,
    store_path,
    tell,
    this_command,
)
from nqbench.cli.options.sections import Sectioned, option_in
from nqbench.cli.options.setting_options import execution_options
from nqbench.cli.options.shared_options import FOLDER, given_parameters
from nqbench.cli.printing.outcome import (
    exit_status,
    tell_never_ran,
    tell_shadowed,
    tell_unchecked,
    tell_unread,
)
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import When
from nqbench.records.settings import Section
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from nqbench.campaign.decidable import Forecast
    from nqbench.campaign.job import Campaigns, Job
    from nqbench.campaign.schedule import Schedule
    from nqbench.records.record import Record, Run

_output = option_in(Section.OUTPUT)


_OF_PROOFS: Final = ("proof_time", "proof_size")


@dataclass(frozen=True, slots=True)
class Recording:
    """Where runs are recorded, and what is shown."""

    results: Path
    dry_run: bool
    plots: bool
    quiet: bool


recording_options = option_group(
    Recording,
    "recording",
    _output(
        "--results",
        type=FOLDER,
        default=RESULTS,
        show_default=True,
        metavar="FOLDER",
        help="Folder for the store, the plots and the report.",
    ),
    _output("--dry-run", is_flag=True, help="Print what would be run, and stop."),
    _output(
        "--plots/--no-plots", default=True, help="Draw the plots and write the report at the end."
    ),
    _output("-q", "--quiet", is_flag=True, help="No progress, only the table and the findings."),
)


@click.command(cls=Sectioned)
@campaign_options
@execution_options
@recording_options
@click.pass_context
def run(
    context: click.Context,
    /,
    requested: Requested,
    execution: Execution,
    recording: Recording,
) -> int:
    """Measure every encoding x backend on every board, check every answer, and draw the plots; or
    every backend on your own formulas (--cnf), and every encoding that fits if they have rows.

    Each run is a separate process under limits. Runs that are already recorded under the same
    conditions are not measured again: an interrupted campaign resumes with the same command.

    Boards are empty (--n), random (--family, --density, --instances), or from files (--board). A
    suite or a TOML file such as examples/campaign.toml can state all of this, the encodings, the
    backends and the limits. Other options replace its encodings, backends, limits and repeats; its
    problems stay.

    \b
    Examples:
      nqbench run --n 4..30
      nqbench run --n 8..128..8 --encoding pairwise,product --time-limit 10s
      nqbench run --n 4..12 --encoding all --backend all --results results/all
      nqbench run --n 4..10 --task all --backend minisat22,pyeda,backtracking
      nqbench run --n 8..256..8 --budget 10m --give-up-after 3
      nqbench run --n 20 --shuffle-clauses 1 --repeat 20 --backend glucose4
      nqbench run --family torus --n 8..14 --check later
      nqbench run --family excluded-diagonals --n 8..16 --density 0.5..1.5..0.1
      nqbench run --board boards/ --diagonals n --backend cadical195,cp-sat
      nqbench run --suite hard --jobs 2 --results results/hard
      nqbench run --cnf formulas/ --backend glucose4,kissat404 --time-limit 60s
      nqbench run --n 4..64 --scheduler tcp://node1:8786 --results cluster
      nqbench run --suite hard --shard 3/20 --times earlier --results parts/3
      nqbench run examples/campaign.toml --dry-run
    """
    tell_shadowed()
    parameters = given_parameters(context)
    if execution.scheduler and "jobs" in parameters:
        raise InputError("--jobs is for this machine: a cluster does as many runs as it has slots")
    if "cpus_per_run" in parameters and not execution.pin:
        raise InputError("--cpus-per-run pins each run to cores: leave out --no-pin, or that")
    if execution.fresh and execution.reuse_imported:
        raise InputError("--fresh measures everything: leave out --reuse-imported, or --fresh")
    later = execution.check is When.LATER
    if later and (proofs := [f"--{n.replace('_', '-')}" for n in _OF_PROOFS if n in parameters]):
        raise InputError(f"{proofs[0]} is for checks now: give it to `nqbench check` later")
    if execution.is_local and not recording.dry_run:
        start_ahead()
        context.call_on_close(stop_ahead)
    from nqbench.campaign.preview import Preview, describe
    from nqbench.cli.options import plan  # while the interpreter starts

    campaigns = plan.read_campaigns(parameters, requested)
    job = replace(
        _plan(campaigns, execution, builds=not recording.dry_run),
        folder=recording.results,
        command=this_command(),
        tell=tell,
    ).part()
    job.check()
    if recording.dry_run:
        if not job.runs:
            return 0
        click.echo(describe(job.runs))
        for sentence in Preview.of(job).sentences():
            click.echo(sentence)
        return 0
    if job.share and not recording.quiet:
        tell(str(job.share))
    narrator = _Narrator(display(not recording.quiet), fresh=execution.fresh)
    narrator.runs = job.runs
    # Until the page is written: to draw it beside another campaign would disturb that one's times.
    with job.measure(narrator, partial(CheckProgress, recording.quiet)) as records:
        status = _finished(records, recording, campaigns)
    if execution.checking.when is When.LATER:
        tell_unchecked(records, recording.results)
    return status


def _plan(campaigns: "Campaigns", execution: Execution, *, builds: bool) -> "Job":
    """The runs of the campaigns. While they are planned, a line says so."""
    with shown_while_waiting("planning") as line:

        def tell_instead(text: str) -> None:
            line.end()
            tell(text)

        return campaigns.job(execution, tell_instead, builds=builds)


class _Narrator(Narrator):
    """Prints what all `runs` are and what executors say, too. While they start, it imports what
    shows the records, and prints what the problems can decide, and again when their ratios are
    known.
    """

    runs: "Sequence[Run]" = ()
    _forecast: "Forecast | None" = None

    def begin(self, schedule: "Schedule", recorded: int) -> None:
        # Not before the store is open: what refuses it is one line.
        from nqbench.campaign.preview import describe_briefly

        if self.runs:
            self._say(f"nqbench: {describe_briefly(self.runs)}")
        super().begin(schedule, recorded)

    def starting(self) -> None:
        import nqbench.cli.commands.summary
        import nqbench.records.frame
        import nqbench.summary.findings  # noqa: F401
        from nqbench.campaign.decidable import Forecast

        self._forecast = Forecast(self.runs)
        for sentence in self._forecast.sentences():
            self._say(f"nqbench: {sentence}")

    def note(self, record: "Record", running: "Sequence[Run]") -> None:
        super().note(record, running)
        for sentence in self._forecast.refine(record) if self._forecast else ():
            self._say(f"nqbench: {sentence}")

    def tell(self, line: str) -> None:
        tell(line)


def _finished(records: "pl.DataFrame", recording: Recording, campaigns: "Campaigns") -> int:
    """Draw and print what was measured, and return the exit status."""
    from nqbench.cli.commands.summary import print_results
    from nqbench.records import names

    if records.is_empty():
        raise InputError("the budget was used up before the first run")
    readers_names = names.of(records, None, recording.results)
    named_records = names.named(records, readers_names)
    if recording.plots:
        is_drawn = are_drawn(recording.results)
        with updating_report(recording.results, aside=not is_drawn):
            draw_plots(recording.results, len(records))
    print_results(named_records, readers_names, recording.results)
    path = store_path(recording.results)
    tell_unread(records)
    click.echo(f"records: {path} ({len(records)} of this campaign)", err=True)
    if set(records["outcome"]) == {"unavailable"}:
        raise InputError("nothing was measured: what was asked for is not available here")
    status = tell_never_ran(records, campaigns.named_encodings, campaigns.named_backends)
    return max(status, exit_status(records))
