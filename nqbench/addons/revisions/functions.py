"""`nqbench.bisect`."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign import arguments
from nqbench.campaign.caller import Problems, name_of, teller
from nqbench.campaign.execution import Execution
from nqbench.common import parsing
from nqbench.common.keywords import suggesting
from nqbench.common.spelling import match_name

if TYPE_CHECKING:
    from nqbench.addons.revisions.bisection.result import Bisection


@suggesting
def bisect(
    good: str,
    bad: str,
    problems: Problems,
    *,
    backend: str,
    by: str = "conflicts",
    encoding: str | type | None = None,
    above: str | float | None = None,
    metric: str = "solve_cpu_s",
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
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
    that cannot be built, or of which it cannot be said, is skipped.

    With `results`, a folder, runs are recorded there, and the same call goes on after an
    interruption. The result prints the answer in words; `commit`, `evidence`, `candidates`, `steps`
    and `table()` have it as data. Progress is shown in a notebook and on a terminal; True shows it
    elsewhere too, False nowhere.

    Raises `InputError` for wrong arguments, and if `good` and `bad` are not what they are said to
    be; and `UnavailableError` without a repository.
    """
    from nqbench.addons.revisions.bisection.bisect import Bisecting, campaign_of
    from nqbench.addons.revisions.bisection.judgement import Kind
    from nqbench.addons.revisions.bisection.timed import METRICS
    from nqbench.campaign.job import Job
    from nqbench.campaign.progress import display
    from nqbench.common.limits import Limits

    usual = Limits()
    limits = Limits(
        usual.time_s if time_limit is None else parsing.duration("time_limit", time_limit),
        usual.memory_bytes
        if memory_limit is None
        else parsing.byte_count("memory_limit", memory_limit),
    )
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    tell = teller(shown is not None)
    bisecting = Bisecting(
        good=good,
        bad=bad,
        backend=backend,
        by=Kind(match_name("kind", by, list(Kind))),
        campaign=campaign_of(arguments.problems(problems), name_of(encoding), limits),
        job=Job(
            runs=(),
            execution=Execution.usual(),
            folder=parsing.path(results) if results else None,
            command="nqbench.bisect",
            tell=tell,
        ),
        metric=match_name("metric", metric, METRICS),
        above=parsing.parse_share(above) if isinstance(above, str) else above,
        again=lambda earlier, later: f"nqbench.bisect('{earlier}', '{later}', ...)",
    )
    return bisecting.run(lambda step, left: tell(step.described(left)))
