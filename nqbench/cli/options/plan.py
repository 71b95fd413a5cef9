"""The runs that a command line asks for: by options, a suite, or a campaign file."""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from nqbench.backends.base import Backend
from nqbench.campaign import campaign_file, suites
from nqbench.campaign.combinations import Planned
from nqbench.campaign.execution import Execution
from nqbench.campaign.grid import Campaign
from nqbench.campaign.request import Request, applied, each_once
from nqbench.campaign.schedule import Policy
from nqbench.campaign.workload import Workload
from nqbench.cli.options.allow_programs import on_terminal
from nqbench.cli.options.results_folder import store_path
from nqbench.cli.options.workload_options import INSTEAD_OF_A_FILE
from nqbench.common.errors import InputError
from nqbench.common.spelling import with_all
from nqbench.common.units import counted
from nqbench.common.vocabulary import combination
from nqbench.encodings.base import Encoding
from nqbench.plugins.component import Component
from nqbench.problems.queens import Queens
from nqbench.records.record import Run
from nqbench.records.store import Store


@dataclass(frozen=True, slots=True)
class Asked:
    """The runs that a command line asks for, and the encodings and backends that the user named, in
    an option or a campaign file. Those of a suite, of `all` and of the defaults are not named.
    """

    runs: Sequence[Run]
    encodings: Collection[str]
    backends: Collection[str]
    names: Mapping[str, str]
    """The names for readers in a campaign file, by the true names."""


def asked(
    said: Container[str],
    suite: str | None,
    file: Path | None,
    workload: Workload,
    request: Request,
    execution: Execution,
    allowed: Collection[str] = (),
) -> Asked:
    """The runs of a suite, a campaign file or a workload, each once. The request replaces what a
    suite or file states. `said` are the options on the command line, and `allowed` the programs
    that a file may name.

    Prints what was left out and why. Raises `InputError`.
    """
    if suite is not None or file is not None:
        planned = campaign_file.permitted(_file(said, suite, file), request, allowed, on_terminal())
    elif workload.asks:
        if "instances" in said and not workload.is_random:
            raise InputError(
                "--instances is a number of random problems: add --n and a random --family, or "
                "leave it out"
            )
        problems, left_out = workload.problems()
        planned = [Campaign(problems=problems, left_out=left_out)]
    else:
        raise InputError(
            "nothing to measure: give --n 4..30, --file, --cnf, --cnfgen or a campaign file"
        )
    campaigns, unable = applied(request, planned)
    for why, times in unable.items():
        click.echo(f"nqbench: left out {why}{_times(times)}", err=True)
    notes = Counter(note for campaign in campaigns for note in campaign.notes)
    for note, times in notes.items():
        click.echo(f"nqbench: {note}{_times(times)}", err=True)
    runs = (c.runs(execution.machine, execution.cores) for c in campaigns)
    stated = planned if suite is None else []
    planned_runs = each_once(runs)
    return Asked(
        planned_runs,
        _one_by_one(
            Encoding.named, [request.encodings or (), *(c.encodings or () for c in stated)]
        ),
        _one_by_one(Backend.named, [request.backends or (), *(c.backends or () for c in stated)]),
        {} if file is None else campaign_file.names_in(file, planned_runs),
    )


def _one_by_one(load: Callable[[str], Component], given: Iterable[Sequence[str]]) -> frozenset[str]:
    """The canonical names in these options and lists, without `all`."""
    named = with_all(itertools.chain.from_iterable(given), list)
    return frozenset(Planned.load(load, name).name for name in named)


def _file(said: Container[str], suite: str | None, file: Path | None) -> Path:
    if suite is not None and file is not None:
        raise InputError("a suite and a campaign file are two campaigns: start one after the other")
    if file is not None and not file.exists():
        raise InputError(f"there is no campaign file '{file}'; several names are joined by commas")
    for parameter, option in INSTEAD_OF_A_FILE.items():
        if parameter in said:
            raise InputError(
                f"{option} says what is measured, and so does the suite or campaign file"
            )
    return file or suites.path(str(suite))


def _times(times: int) -> str:
    return f" ({times} campaigns)" if times > 1 else ""


def _unavailable(runs: Sequence[Run]) -> dict[str, str]:
    """The encodings and backends of the runs that do not work on this machine, and why."""
    from nqbench.backends.base import Backend
    from nqbench.encodings.base import Encoding
    from nqbench.plugins.availability import why_unavailable

    encodings, backends = {run.encoding for run in runs}, {run.backend for run in runs}
    reasons = {name: why_unavailable(Encoding.named, name) for name in sorted(encodings)}
    reasons |= {name: why_unavailable(Backend.named, name) for name in sorted(backends)}
    return {name: reason for name, reason in reasons.items() if reason}


def describe(
    runs: Sequence[Run],
    results: Path,
    execution: Execution,
    policy: Policy,
    *,
    fresh: bool,
    retry_failed: bool,
    reuse_imported: bool,
) -> None:
    """Print the plan: what would be measured now, and an estimate of the time that it takes."""
    from nqbench.campaign import runner
    from nqbench.campaign.estimate import estimate
    from nqbench.summary.findings.wording import told_elsewhere
    from nqbench.summary.observed import MEASURED_HERE

    click.echo(_described(runs))
    path = store_path(results)
    todo, given_up, records = list(runs), 0, None
    recorded = "Nothing recorded yet."
    if path.exists():
        with Store(path, read_only=True) as store:
            undone = runner.undone(
                runs,
                store,
                fresh=fresh,
                retry_failed=retry_failed,
                reuse_imported=reuse_imported,
            )
            schedule = runner.scheduled(undone, store, policy)
            records = store.frame().filter(MEASURED_HERE)
        for change in undone.changes:
            click.echo(change)
        todo = schedule.not_given_up
        given_up = len(undone.missing) - len(todo)
        if number := len(runs) - len(undone.missing):
            recorded = f"{number} of {len(runs)} runs are recorded."
            said = told_elsewhere(undone.elsewhere, len(runs))
            recorded = " ".join([recorded, *(f"{each}." for each in said)])
        elif fresh:
            recorded = "Every run is measured, recorded or not."
        elif not records.is_empty():
            recorded = "None of these runs is recorded under these conditions."
    click.echo(recorded)
    if given_up:
        click.echo(f"{counted(given_up, 'run')}: skipped, after limits that recorded runs reached.")
    if not execution.scheduler:
        for name, reason in _unavailable(todo).items():
            without = [run for run in todo if name not in (run.encoding, run.backend)]
            left_out = counted(len(todo) - len(without), "run")
            click.echo(f"{left_out}: not measured. {name} is unavailable: {reason}")
            todo = without
    for line in estimate(todo, records).sentences(execution.jobs, policy.budget_s):
        click.echo(line)


def _described(runs: Sequence[Run]) -> str:
    """What a campaign asks for, in one sentence."""
    sizes = {n for run in runs if (n := run.problem.n) is not None}
    problems = {run.problem for run in runs}
    what = counted(len(problems), "problem" if all(p.has_rules for p in problems) else "formula")
    if sizes:
        noun = "board" if all(isinstance(each, Queens) for each in problems) else "problem"
        span = f"{min(sizes)}..{max(sizes)}" if len(sizes) > 1 else min(sizes)
        families = sorted({problem.family for problem in problems})
        of = f" of {', '.join(families)}" if len(families) > 1 else ""
        what = f"n {span} ({counted(len(problems), noun)}{of})"
    pairs = sorted({combination(run.encoding, run.backend) for run in runs})
    return (
        f"{counted(len(runs), 'run')}: {what} x {counted(len(pairs), 'combination')} of encoding "
        f"and backend ({', '.join(pairs)}) x {counted(max(r.repeat for r in runs) + 1, 'repeat')}, "
        f"at most {max(run.limits.time_s for run in runs):g} s each"
    )
