"""Measures the runs of a bundle again, and says what agrees."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Final

import polars as pl

from nqbench.addons.bundle.agreement import agreement, differences, joined
from nqbench.addons.bundle.plan import Plan, Trust, plan, sampled
from nqbench.addons.bundle.reading import opened
from nqbench.addons.compare.changes import ANSWERS, SIZES
from nqbench.backends import permission
from nqbench.campaign.caller import CALLER
from nqbench.campaign.execution import Execution
from nqbench.campaign.job import Job
from nqbench.campaign.narrator import Narrator
from nqbench.campaign.options import Option, options
from nqbench.campaign.progress import display
from nqbench.common import parsing
from nqbench.common.errors import InputError, Place
from nqbench.common.keywords import suggesting
from nqbench.common.units import counted
from nqbench.records import settings
from nqbench.records.lock import Tell
from nqbench.summary.findings.cautions import Output, cautions

FORMAT: Final = 1
"""The version of the document. It increases when a key changes its meaning or goes away."""

_EXACT = [*ANSWERS, *SIZES]


@dataclass(frozen=True, slots=True)
class Replay:
    """A bundle that was measured again: the `records` here; the `agreement` of each combination and
    the `differences`, as the functions of these names return them; and the `plan`, which says what
    was left out, and how solvers here differ from those of the bundle.
    """

    path: Path
    records: pl.DataFrame
    agreement: pl.DataFrame
    differences: pl.DataFrame
    plan: Plan
    allow_missing: bool = False

    @property
    def not_measured(self) -> int:
        """The number of runs that the bundle promises and that were not measured here."""
        return sum(map(len, self.plan.not_measured.values()))

    @property
    def agrees(self) -> bool:
        """Whether answers and formulas agree, no answer here is wrong, no run crashed, and every
        run that the bundle promises was measured, unless `allow_missing`.
        """
        if self.not_measured and not self.allow_missing:
            return False
        exact = self.differences.filter(pl.col("quantity").is_in(_EXACT))
        wrong = (pl.col("verdict") == "refuted") | (pl.col("outcome") == "crashed")
        return exact.is_empty() and self.records.filter(wrong).is_empty()

    def sentences(self) -> Iterator[str]:
        """What agrees and what does not, and what was not measured."""
        if self.not_measured:
            requested = self.not_measured + len(self.plan.runs)
            whys = "; ".join(
                f"{_runs(len(ids))}: {why}" for why, ids in self.plan.not_measured.items()
            )
            yield f"{self.not_measured} of {_runs(requested)} could not be measured here. {whys}."
        for quantity in ("answers", "formulas", "counters"):
            agree, compared = (
                int(self.agreement[name].to_numpy().sum()) for name in (quantity, f"{quantity}_of")
            )
            if not compared:
                continue
            if agree < compared:
                yield f"{quantity.capitalize()} differ in {compared - agree} of {_runs(compared)}."
            else:
                yield f"{quantity.capitalize()} agree in {_all(compared)}."
        ended = self.differences.filter(quantity="outcome")
        if len(ended):
            yield (
                f"{_runs(len(ended))} ended with an answer either only in the bundle or only here; "
                "a slower machine reaches a time limit sooner."
            )
        yield from (f"{line}." for line in cautions(self.records, Output.MESSAGES))

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def document(self) -> dict[str, Any]:
        """What `nqbench replay --json` prints, with values that JSON has."""
        return {
            "format": FORMAT,
            "agrees": self.agrees,
            "runs": len(self.plan.runs),
            "not_measured": self.not_measured,
            "left_out": [
                {"why": why, "runs": len(ids), "promised": why in self.plan.not_measured}
                for why, ids in self.plan.left_out.items()
            ],
            "other_solvers": dict(self.plan.others),
            "other_builds": dict(self.plan.builds),
            "agreement": self.agreement.to_dicts(),
            "differences": self.differences.to_dicts(),
            "sentences": list(self.sentences()),
        }


@suggesting
@options(
    sample=Option(
        parsing.TEXT, "Measure only this many runs, chosen at random: 20 or 10%.", metavar="N|P%"
    ),
    seed=Option(parsing.SEED, "Seed that draws the sample."),
    allow_other_solvers=Option(
        parsing.FLAG,
        "Measure with solvers of another version, too. Their counters are not compared.",
    ),
    allow_missing=Option(
        parsing.FLAG,
        "Accept runs that cannot be measured here: they do not change the exit status.",
    ),
    results=Option(
        parsing.FOLDER,
        "Record the runs in this folder. After an interruption, the same command resumes.",
        metavar="FOLDER",
    ),
    jobs=settings.BY_NAME["jobs"],
    pin=settings.BY_NAME["pin"],
)
def replay(
    bundle: str | PathLike[str],
    *,
    sample: str | int | None = None,
    seed: int = 0,
    allow_other_solvers: bool = False,
    allow_missing: bool = False,
    allow_programs: str | Sequence[str] = (),
    jobs: int = 1,
    pin: bool = True,
    results: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> Replay:
    """Measure the runs of a bundle again, which `nqbench bundle` or `Results.bundle` made, and
    compare: answers, formulas and counters exactly, times as ratios with an interval.

    `sample` is a number of runs or a share such as '10%', drawn with the `seed`; by default all are
    measured. A run is left out if its solver is missing here, and if the solver has another
    version, unless `allow_other_solvers`: then its counters are not compared. A program that only
    the bundle names, such as `exe:/opt/solver --fast`, or a solver with options, such as
    `cadical:opt.elim=0`, is started only if `allow_programs` has the same words, or a pattern such
    as `cadical:opt.*`. With `results`, a folder, runs are recorded there, and the same call goes on
    after an interruption.

    Runs that were left out make `agrees` false, unless `allow_missing`; but not those that the
    bundle only records. Code that is in the bundle, as that of a plugin, is not executed,
    except for components from a file that `allow_programs` names, such as `mine.py:MyScheme`.

    The result prints what agrees; `agreement`, `differences`, `records` and `plan` have it as
    data, and `agrees` is true if answers and formulas agree and nothing is
    missing. Raises `InputError` for a file that is
    no bundle, or that was changed, and if nothing can be measured here.
    """
    path, caller = parsing.path(bundle), CALLER.get()
    execution = Execution.usual(
        jobs=parsing.whole_number("jobs", jobs), pin=parsing.yes_or_no("pin", pin)
    )
    programs = parsing.texts("allow_programs", allow_programs)
    shown = display(None if progress is None else parsing.yes_or_no("progress", progress))
    with ExitStack() as waiting:
        waiting.enter_context(caller.doing(f"reading {path}"))

        def begin(plan: Plan) -> None:
            waiting.close()
            caller.note(plan)

        return replayed(
            path,
            execution,
            Trust(
                programs, parsing.yes_or_no("allow_other_solvers", allow_other_solvers), caller.ask
            ),
            Narrator(shown, stored=results is not None, caller=caller.continues("replay")),
            sample=sample,
            seed=parsing.seed("seed", seed),
            results=None if results is None else parsing.path(results),
            allow_missing=parsing.yes_or_no("allow_missing", allow_missing),
            command=caller.command("replay"),
            tell=caller.tell,
            begin=begin,
        )


def replayed(
    path: Path,
    execution: Execution,
    trust: Trust,
    narrator: Narrator,
    *,
    sample: str | int | None = None,
    seed: int = 0,
    results: Path | None = None,
    allow_missing: bool = False,
    command: str,
    tell: Tell,
    begin: Callable[[Plan], None],
) -> Replay:
    """As `replay`; `begin` is called with the plan before anything is measured."""
    allowed = list(trust.programs)

    def permit(names: Sequence[str]) -> list[str]:
        allowed[:] = permission.granted(names, allowed, str(path), trust.ask)
        refused = permission.need_permission(names, allowed)
        return [name for name in names if name not in refused]

    with opened(path, permit) as bundle:
        trust = replace(trust, programs=allowed)
        run_ids = sampled(bundle.runs, sample, seed)
        planned = plan(bundle, run_ids, execution, trust)
        # Two runs that differ only in versions may be the same run with the versions here.
        runs = list({run.id: run for run in planned.runs.values()}.values())
        job = Job(runs=runs, execution=execution, folder=results, command=command, tell=tell)
        if not runs:
            raise InputError(
                f"nothing can be measured again here{_why(planned.left_out)}",
                place=Place(str(path)),
            )
        begin(planned)
        job.check()
        again = {old_id: run.id for old_id, run in planned.runs.items()}
        old = bundle.records.filter(pl.col("run_id").is_in(list(again)))
        with job.measure(narrator) as records:
            pairs = joined(old, records, again)
            return Replay(
                path,
                records,
                agreement(pairs, old, records, planned.others),
                differences(pairs, planned.others),
                planned,
                allow_missing,
            )


def _why(left_out: Mapping[str, Sequence[str]]) -> str:
    return f": {'; '.join(left_out)}" if left_out else ": it has no run with a problem"


def _runs(number: int) -> str:
    return counted(number, "run")


def _all(compared: int) -> str:
    return "the only run" if compared == 1 else f"all {_runs(compared)}"
