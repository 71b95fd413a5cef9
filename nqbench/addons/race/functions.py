"""`nqbench.race`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Final

from nqbench.addons.race.rules import METRICS, Average, Rules
from nqbench.campaign.caller import CALLER, Names, Problems, plan
from nqbench.campaign.options import UNIT_HELP, Option, options
from nqbench.common import parsing
from nqbench.common.keywords import suggesting
from nqbench.common.spelling import match_name
from nqbench.records import settings
from nqbench.records.settings import Section

if TYPE_CHECKING:
    from nqbench.addons.race.standing import Standing

_NO_SETTINGS: Final = ("give-up-after", "budget", "fresh", "retry-failed", "shard", "times")
_SETTINGS: Final = {
    setting.argument: setting for setting in settings.SETTINGS if setting.name not in _NO_SETTINGS
}
_UNIT: Final = UNIT_HELP.format(columns="'formula_family' (folders), 'family', 'n' or 'density'")


@suggesting
@options(
    **_SETTINGS | {"repeat": replace(settings.BY_NAME["repeat"], default=1)},
    budget=Option(
        parsing.DURATION,
        "Start no new runs after this time. If it does not suffice, the worst leave early.",
        section=Section.ORDER,
    ),
    metric=Option(parsing.choice(METRICS), "What decides.", section=Section.ORDER),
    average=Option(
        parsing.choice(Average),
        "Of the problems: their mean, or the typical one, by geometric means. An unsolved run "
        "counts as twice its limit (PAR-2).",
        section=Section.ORDER,
    ),
    confidence=Option(
        parsing.NUMBER,
        "Probability that neither of two equal combinations leaves because of the other.",
        section=Section.ORDER,
    ),
    margin=Option(
        parsing.NUMBER,
        "The race also ends when all that are left are this close to the best.",
        section=Section.ORDER,
    ),
    unit=Option(parsing.TEXT, _UNIT, metavar="COLUMN", section=Section.ORDER),
)
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
    seeds: int | None = None,
    shuffle_clauses: int | None = None,
    time_limit: str | float | None = None,
    cpu_limit: str | float | None = None,
    conflict_limit: str | float | None = None,
    propagation_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    memory_limit_by: str | None = None,
    seed: int | None = None,
    check: str | None = None,
    proof_time: str | float | None = None,
    proof_size: str | int = "4GiB",
    keep_output: bool | None = None,
    measure: str | Sequence[str] | None = None,
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
    job, caller = plan("race", locals()), CALLER.get()
    from nqbench.addons.race.live import Race
    from nqbench.addons.race.race_progress import RaceProgress, interrupted
    from nqbench.campaign.progress import Progress

    rules = Rules(
        metric,
        Average(match_name("average", average, list(Average))),
        confidence,
        margin,
        job.execution.budget_s,
        unit,
    )
    shown_on = caller.display(progress)
    observer = caller.observer or (RaceProgress(shown_on) if shown_on else None)
    with job.open_store() as store:
        racing, is_ended = Race(job, store, rules), False
        try:
            racing.run(observer)
            is_ended = True
        except KeyboardInterrupt:
            if caller.observer is None:
                for line in interrupted(racing.standing(), is_stored=job.folder is not None):
                    (shown_on or Progress()).say(line)
            raise
        finally:
            caller.note((racing.standing(), is_ended))
    return racing.standing()
