"""`run`: plan, measure, record, draw, summarise."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from nqbench import api
from nqbench.campaign.executors.interpreter import start_ahead, stop_ahead
from nqbench.campaign.narrator import Narrator
from nqbench.cli.commands.check import CheckProgress
from nqbench.cli.commands.report import updating_report
from nqbench.cli.options.function_options import Sectioned, calling, option_in
from nqbench.cli.options.results_folder import are_drawn, draw_plots, store_path, tell
from nqbench.cli.options.shared_options import FOLDER, given_parameters
from nqbench.cli.options.workload_options import Requested, campaign_options
from nqbench.cli.printing.outcome import exit_status, tell_never_ran, tell_unchecked, tell_unread
from nqbench.cli.printing.terminal import Terminal
from nqbench.common.errors import InputError
from nqbench.common.vocabulary import When
from nqbench.records.settings import LOCAL, Section
from nqbench.records.sources import RESULTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from nqbench.campaign.decidable import Forecast
    from nqbench.campaign.job import Job
    from nqbench.campaign.schedule import Schedule
    from nqbench.records.record import Record, Run

_output = option_in(Section.OUTPUT)


_OF_PROOFS: Final = ("proof_time", "proof_size")


class _Running(Terminal):
    """Shows the plan and ends, if it `only_plans`. Otherwise it shows the campaign as it goes, then
    draws and prints the records, before any other command writes to their folder: to draw them
    beside another campaign would disturb that one's times. `code` is the exit status.
    """

    job: "Job"
    only_plans, plots, quiet = False, True, False
    code = 0

    def note(self, known: Any) -> None:
        """Show it: the job, or the records of its runs."""
        from nqbench.campaign.job import Job

        if not isinstance(known, Job):
            self.code = self._finish(known)
        elif self.only_plans:
            _print_plan(known)
            click.get_current_context().exit()
        else:
            self.job = known
            if known.share and not self.quiet:
                tell(str(known.share))
            self.checks = partial(CheckProgress, self.quiet)
            self.observer = _Narrator(self.display(not self.quiet), fresh=known.execution.fresh)
            self.observer.runs = known.runs

    def _finish(self, records: "pl.DataFrame") -> int:
        """Draw and print what was measured, and return the exit status."""
        from nqbench.cli.commands.summary import print_results
        from nqbench.records import names

        results, asked = self.job.folder, self.job.asked
        assert results is not None
        assert asked is not None
        if records.is_empty():
            raise InputError("the budget was used up before the first run")
        readers_names = names.of(records, None, results)
        named_records = names.named(records, readers_names)
        if self.plots:
            is_drawn = are_drawn(results)
            with updating_report(results, aside=not is_drawn):
                draw_plots(results, len(records))
        # Above the table: what follows is of no use if an answer is wrong or a program is broken.
        tell_unread(records)
        named = asked.named_encodings, asked.named_backends
        is_any_available = set(records["outcome"]) != {"unavailable"}  # else each reason was told
        never_ran = tell_never_ran(records, *named) if is_any_available else 1
        status = max(never_ran, exit_status(records))
        print_results(named_records, readers_names, results)
        click.echo(f"records: {store_path(results)} ({len(records)} of this campaign)", err=True)
        if not is_any_available:
            raise InputError("nothing was measured: what was asked for is not available here")
        if self.job.execution.checking.when is When.LATER:
            tell_unchecked(records, results)
        return status


def _print_plan(job: "Job") -> None:
    from nqbench.campaign.preview import Preview, describe

    if job.runs:
        click.echo(describe(job.runs))
        for sentence in Preview.of(job).sentences():
            click.echo(sentence)


@click.command(cls=Sectioned)
@campaign_options
@calling(api.run, terminal=_Running)
@_output(
    "--results",
    type=FOLDER,
    default=RESULTS,
    show_default=True,
    metavar="FOLDER",
    help="Folder for the store, the plots and the report.",
)
@_output("--dry-run", is_flag=True, help="Print what would be run, and stop.")
@_output("--plots/--no-plots", default=True, help="Draw the plots and write the report at the end.")
@_output("-q", "--quiet", is_flag=True, help="No progress, only the table and the findings.")
def run(
    requested: Requested,
    results: Path,
    dry_run: bool,
    plots: bool,
    quiet: bool,
    **settings: Any,
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
    context = click.get_current_context()
    _check(given_parameters(context), settings)
    if settings["executor"] == LOCAL and settings["scheduler"] is None and not dry_run:
        start_ahead()  # the imports of the first server, during those of the plan
        context.call_on_close(stop_ahead)
    terminal = _Running.current()
    terminal.only_plans, terminal.plots, terminal.quiet = dry_run, plots, quiet
    terminal.builds = not dry_run
    progress = dry_run or not quiet
    api.run(**requested.arguments(), results=results, progress=progress, **settings)
    return terminal.code


def _check(given: dict[str, Any], settings: dict[str, Any]) -> None:
    """Raise `InputError` if one of these options is of no use beside others."""
    if settings["scheduler"] and "jobs" in given:
        raise InputError("--jobs is for this machine: a cluster does as many runs as it has slots")
    if "cpus_per_run" in given and not settings["pin"]:
        raise InputError("--cpus-per-run pins each run to cores: leave out --no-pin, or that")
    if settings["fresh"] and settings["reuse_imported"]:
        raise InputError("--fresh measures everything: leave out --reuse-imported, or --fresh")
    later = settings["check"] == When.LATER
    if later and (proofs := [f"--{n.replace('_', '-')}" for n in _OF_PROOFS if n in given]):
        raise InputError(f"{proofs[0]} is for checks now: give it to `nqbench check` later")


class _Narrator(Narrator):
    """Prints what all `runs` are and what executors say, too. While they start, it imports what
    shows the records, and prints what the problems can decide, and again when their ratios are
    known.
    """

    runs: "Sequence[Run]" = ()
    _forecast: "Forecast | None" = None

    def begin(self, schedule: "Schedule", recorded: int) -> None:
        # Not before the store is open: what refuses it is one line.
        from nqbench.campaign.preview import describe

        if self.runs:
            self._say(f"nqbench: {describe(self.runs, in_brief=True)}")
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
