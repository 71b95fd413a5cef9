"""`bisect`: find the commit that made a solver worse."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nqbench.campaign.execution import Execution
from nqbench.campaign.workload import Workload
from nqbench.cli.face import (
    ENCODING,
    OneOf,
    Parsed,
    folder_option,
    limits_option,
    problem_options,
    store_path,
    tell,
    this_command,
)
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.parsing import parse_share

if TYPE_CHECKING:
    from nqbench.addons.revisions.bisection.result import Bisection, Step

_KINDS = ("conflicts", "answer", "crash", "time")
_METRICS = ("solve_cpu_s", "solve_s", "cpu_s", "wall_s")


@click.command
@click.argument("good", metavar="GOOD")
@click.argument("bad", metavar="BAD")
@problem_options
@click.option(
    "--backend",
    required=True,
    metavar="git:REPOSITORY",
    help="The repository of the solver, without a revision; arguments of the program may follow.",
)
@click.option(
    "--by",
    type=OneOf(_KINDS),
    default=_KINDS[0],
    show_default=True,
    help="What became worse: more conflicts, a wrong answer, a crash, or a longer time.",
)
@click.option(
    "--above",
    type=Parsed("percentage", parse_share),
    metavar="PERCENT",
    help="With conflicts or time: only more than this is bad. [any more conflicts; half of the way "
    "to the time of BAD]",
)
@click.option(
    "--metric",
    type=OneOf(_METRICS),
    default=_METRICS[0],
    show_default=True,
    help="With --by time: which time.",
)
@click.option("--encoding", type=ENCODING, help="The encoding to use. [pairwise]")
@limits_option("each run", "30s")
@folder_option
@click.option("--dry-run", is_flag=True, help="Print what would be done, and stop: build nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only the answer.")
def bisect(
    good: str,
    bad: str,
    workload: Workload,
    backend: str,
    by: str,
    above: float | None,
    metric: str,
    encoding: str | None,
    limits: Limits,
    results: Path,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find the commit between the revisions GOOD and BAD that made a solver worse. The file
    nqbench-build.toml, here or in the repository, says how a commit is built. Your files, index and
    branches are not touched.

    Conflicts are those of all problems together, and are compared exactly. An answer is bad if it
    is refuted, or differs from the verified one of GOOD. For times, each commit runs in turns with
    GOOD, as often as the noise needs. A commit that cannot be built, or of which it cannot be said
    whether it is bad, is skipped.

    Runs are recorded. After an interruption, the same command goes on. At the end it prints the
    commit, the evidence, and the command that shows it again.

    The exit status is 0 if one commit is left, 1 if it cannot be said which of several it is, and 2
    if GOOD is not good or BAD is not bad.

    \b
    Examples:
      nqbench bisect rel-2.0 HEAD --backend git:../sat --by conflicts --cnf a.cnf
      nqbench bisect v1 v2 --backend git:../solver --by answer --n 4..12
      nqbench bisect v1 v2 --backend git:../sat --by time --above 20% --cnf fs
      nqbench bisect HEAD~9 HEAD --backend 'git:. --sat' --by crash --cnf a.cnf
      nqbench bisect v1 v2 --backend git:../sat --by time --cnf fs --dry-run
    """
    from nqbench.addons.revisions.bisection.bisect import Bisecting, campaign_of
    from nqbench.addons.revisions.bisection.judgement import Kind
    from nqbench.addons.revisions.bisection.plan import Plan
    from nqbench.campaign.job import Job

    if above is not None and by not in {"conflicts", "time"}:
        raise InputError(f"--above is for conflicts and times: leave it out with --by {by}")
    if not workload.asks:
        raise InputError("nothing to measure: give --n 4..12, --file or --cnf")
    problems, left_out = workload.problems()
    for note in left_out:
        tell(f"left out: {note}")

    def show(step: "Step", steps_left: int) -> None:
        if not quiet:
            tell(step.described(steps_left))

    bisecting = Bisecting(
        good=good,
        bad=bad,
        backend=backend,
        by=Kind(by),
        campaign=campaign_of(problems, encoding, limits),
        job=Job(
            runs=(),
            execution=Execution.usual(),
            folder=results,
            command=this_command(),
            tell=(lambda _: None) if quiet else tell,
        ),
        metric=metric,
        above=above,
        again=lambda earlier, later: _command_with([good, bad], [earlier, later]),
    )
    if dry_run:
        click.echo(str(Plan.of(bisecting)))
        return 0
    bisection = bisecting.run(show)
    click.echo(json.dumps(_document(bisection), indent=2) if as_json else str(bisection))
    tell(f"records: {store_path(results)}")
    return 0 if bisection.commit else 1


def _command_with(revisions: Sequence[str], others: Sequence[str]) -> str:
    """The command line with other revisions."""
    words = sys.argv[1:]
    for revision, other in zip(revisions, others, strict=True):
        places = [
            at
            for at, word in enumerate(words)
            if word == revision and not words[max(0, at - 1)].startswith("-")
        ]
        if places:
            words[places[0]] = other
    return shlex.join(["nqbench", *words])


def _document(bisection: "Bisection") -> dict[str, object]:
    commit = bisection.commit
    return {
        "commit": commit and commit.digits,
        "date": commit and commit.date,
        "subject": commit and commit.subject,
        "evidence": bisection.evidence,
        "candidates": [candidate.digits for candidate in bisection.candidates],
        "cannot_tell": bisection.cannot_tell,
        "by": bisection.by.value,
        "runs": bisection.runs,
        "measured": bisection.measured,
        "again": bisection.again,
        "steps": bisection.table().to_dicts(),
    }
