"""`bisect`: find the commit that made a solver worse."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nqbench.addons.revisions import functions
from nqbench.campaign.workload import Workload
from nqbench.cli.face import calling, folder_option, problem_options, store_path, tell
from nqbench.common.errors import InputError

if TYPE_CHECKING:
    from nqbench.addons.revisions.bisection.bisect import Bisecting
    from nqbench.addons.revisions.bisection.result import Bisection


def _print_plan(bisecting: "Bisecting") -> None:
    """Print what would be done, and end, with --dry-run."""
    from nqbench.addons.revisions.bisection.plan import Plan

    context = click.get_current_context()
    if context.params["dry_run"]:
        click.echo(str(Plan.of(bisecting)))
        context.exit()


@click.command
@click.argument("good", metavar="GOOD")
@click.argument("bad", metavar="BAD")
@problem_options
@calling(functions.bisect, _print_plan)
@folder_option
@click.option("--dry-run", is_flag=True, help="Print what would be done, and stop: build nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as a JSON object.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, only the answer.")
def bisect(
    good: str,
    bad: str,
    workload: Workload,
    results: Path,
    dry_run: bool,  # noqa: ARG001 - see `_print_plan`
    as_json: bool,
    quiet: bool,
    **settings: Any,
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
    if not workload.asks:
        raise InputError("nothing to measure: give --n 4..12, --file or --cnf")
    problems, left_out = workload.problems()
    for note in left_out:
        tell(f"left out: {note}")
    bisection = functions.bisect(
        good, bad, problems, results=results, progress=not quiet, **settings
    )
    click.echo(json.dumps(_document(bisection), indent=2) if as_json else str(bisection))
    tell(f"records: {store_path(results)}")
    return 0 if bisection.commit else 1


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
