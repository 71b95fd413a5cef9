"""`nqbench.bisect`."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from nqbench.addons.revisions.bisection.judgement import Kind
from nqbench.addons.revisions.bisection.timed import METRICS
from nqbench.campaign import arguments
from nqbench.campaign.caller import CALLER, Problems, name_of
from nqbench.campaign.execution import Execution
from nqbench.campaign.options import Option, limit_options, options
from nqbench.common import parsing
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
from nqbench.common.spelling import match_name
from nqbench.plugins import lists

if TYPE_CHECKING:
    from nqbench.addons.revisions.bisection.result import Bisection


@suggesting
@options(
    backend=Option(
        parsing.TEXT,
        "The repository of the solver, without a revision; arguments of the program may follow.",
        metavar="git:REPOSITORY",
        is_required=True,
    ),
    by=Option(
        parsing.choice(Kind),
        "What became worse: more conflicts, a wrong answer, a crash, or a longer time.",
    ),
    above=Option(
        parsing.SHARE,
        "With conflicts or time: only more than this is bad. [any more conflicts; half of the way "
        "to the time of BAD]",
        metavar="PERCENT",
    ),
    metric=Option(parsing.choice(METRICS), "With --by time: which time."),
    encoding=Option(lists.ENCODING, "The encoding to use. [pairwise]"),
    **limit_options("each run"),
)
def bisect(
    good: str,
    bad: str,
    problems: Problems,
    *,
    backend: str,
    by: str = "conflicts",
    encoding: str | type | None = None,
    above: str | float | None = None,
    metric: str = METRICS[0],
    time_limit: str | float = "30s",
    memory_limit: str | int = "4GiB",
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Bisection:
    """Find the commit that made a solver worse, between the revisions `good` and `bad` of the
    repository of `backend`, such as 'git:../cadical'. `nqbench-build.toml`, here or in the
    repository, says how a commit is built.

    `by` is 'conflicts': more of them on all problems together; 'answer': a wrong one; 'crash'; or
    'time': the `metric`, which is solve_cpu_s, solve_s, cpu_s or wall_s. With `above`, such as
    '10%' or 0.1, only more than this share is bad; without, any more conflicts, and half of the
    way to the time of `bad`. Times are compared in pairs, as often as their noise needs. A commit
    that cannot be built, or of which it cannot be said, is skipped. Each run may take 30 seconds
    and 4 GiB by default.

    With `results`, a folder, runs are recorded there, and the same call goes on after an
    interruption. The result prints the answer in words; `commit`, `evidence`, `candidates`, `steps`
    and `table()` have it as data. Progress is shown in a notebook and on a terminal; True shows it
    elsewhere too, False nowhere.

    Raises `InputError` for wrong arguments, and if `good` and `bad` are not what they are said to
    be; and `UnavailableError` without a repository.
    """
    from nqbench.addons.revisions.bisection.bisect import Bisecting, campaign_of
    from nqbench.campaign.job import Job

    kind = Kind(match_name("kind", by, list(Kind)))
    if above is not None and kind not in {Kind.CONFLICTS, Kind.TIME}:
        raise InputError(f"`above` is for conflicts and times: leave it out with `by={kind}`")
    caller, limits = CALLER.get(), arguments.limits(time_limit, memory_limit)
    tell = caller.teller(caller.display(progress) is not None)
    bisecting = Bisecting(
        good=good,
        bad=bad,
        backend=backend,
        by=kind,
        campaign=campaign_of(arguments.problems(problems), name_of(encoding), limits),
        job=Job(
            runs=(),
            execution=Execution.usual(),
            folder=parsing.path(results) if results else None,
            command=caller.command("bisect"),
            tell=tell,
        ),
        metric=match_name("metric", metric, METRICS),
        above=parsing.SHARE.read("above", above),
        again=lambda earlier, later: caller.command_with("bisect", {good: earlier, bad: later}),
    )
    caller.note(bisecting)
    return bisecting.run(lambda step, left: tell(step.described(left)))
