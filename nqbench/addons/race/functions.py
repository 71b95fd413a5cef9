"""`nqbench.race`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from nqbench.campaign.caller import Names, Problems, from_settings, read_campaigns, teller
from nqbench.campaign.execution import Execution
from nqbench.common import parsing
from nqbench.common.keywords import suggesting
from nqbench.common.spelling import match_name
from nqbench.records import settings

if TYPE_CHECKING:
    from nqbench.addons.race.standing import Standing


@suggesting
def race(
    problems: Problems | None = None,
    *,
    suite: str | None = None,
    campaign_file: str | PathLike[str] | None = None,
    encodings: Names | None = None,
    backends: Names | None = None,
    amo: str | Sequence[str] | None = None,
    lenient: bool | None = None,
    budget: str | float | None = None,
    metric: str = "solve_s",
    average: str = "mean",
    confidence: float = 0.95,
    margin: float = 0.05,
    unit: str | None = None,
    task: str | None = None,
    repeat: int = 1,
    time_limit: str | float | None = None,
    cpu_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    memory_limit_by: str | None = None,
    seed: int | None = None,
    check: str | None = None,
    reuse_imported: bool = False,
    jobs: int = 1,
    pin: bool = True,
    ahead: bool = True,
    cpus_per_run: int = 1,
    executor: str = "local",
    scheduler: str | None = None,
    allow_programs: str | Sequence[str] = (),
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Standing:
    """Find the best combination of encoding and backend on these problems, without measuring the
    whole grid: runs are stopped when they are slower than the best, and combinations leave when
    they are worse with `confidence`. It ends when one is left, when all that are left are within
    `margin` of the best, after all problems, or when the `budget` is used up.

    `metric` is solve_s, total_s, wall_s or cpu_s; `average` is 'mean' (PAR-2) or 'typical',
    the geometric mean. With `unit`, such as 'formula_family', all problems with one value of this
    column are one piece of evidence. The other arguments are those of `run`. With `results`, a
    folder, runs are recorded there: the same call goes on, and `run` measures only what is missing.

    Progress is shown in a notebook and on a terminal; True shows it elsewhere too, False nowhere.
    The result prints the answer in words; `winner`, `leader`, `left`, `table()` and `records` have
    it as data. See docs/addons/race-explained.md for the method. Raises as `run` does.
    """
    passed = locals()
    values = settings.read(
        {setting.argument: passed.get(setting.argument) for setting in settings.SETTINGS}
    )
    from nqbench.addons.race.live import Race
    from nqbench.addons.race.race_progress import RaceProgress, interrupted
    from nqbench.addons.race.rules import Average, Rules
    from nqbench.campaign.progress import Progress, display
    from nqbench.campaign.waiting import shown_below_cell

    rules = Rules(
        metric,
        Average(match_name("average", average, list(Average))),
        confidence,
        margin,
        values["budget_s"],
        unit,
    )
    shown_on = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with shown_below_cell("planning the race", shown_on):
        campaigns = read_campaigns(values, problems, suite, campaign_file, allow_programs)
        planned = campaigns.job(from_settings(Execution, values), teller(shown_on is not None))
    job = replace(
        planned,
        folder=parsing.path(results) if results else None,
        command="nqbench.race",
    )
    job.check()
    with job.open_store() as store:
        racing = Race(job, store, rules)
        try:
            racing.run(RaceProgress(shown_on) if shown_on else None)
        except KeyboardInterrupt:
            for line in interrupted(racing.standing(), is_stored=job.folder is not None):
                (shown_on or Progress()).say(line)
            raise
    return racing.standing()
