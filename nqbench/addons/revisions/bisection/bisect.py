"""Judges one commit after another, until it is known which is the first bad one.

Runs are recorded, and those that are recorded are not measured again. So a bisection that was
stopped goes on with the same call: it comes to the same commits, by the same runs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nqbench.addons.revisions.bisection.exact import ByAnswer, ByConflicts, ByCrash
from nqbench.addons.revisions.bisection.git_bisect import GitBisect
from nqbench.addons.revisions.bisection.judgement import CannotTellError, Judge, Judgement, Kind
from nqbench.addons.revisions.bisection.result import Bisection, Step
from nqbench.addons.revisions.bisection.timed import METRICS, ByTime
from nqbench.addons.revisions.bisection.trials import Trials
from nqbench.addons.revisions.repository import Commit
from nqbench.addons.revisions.spec import Spec
from nqbench.campaign.combinations import is_clausal
from nqbench.campaign.grid import Campaign
from nqbench.campaign.job import Job
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import USUAL_ENCODING
from nqbench.problems.base import Problem
from nqbench.records.store import Store

Again = Callable[[str, str], str]
"""Makes the command that bisects between two revisions."""


def campaign_of(problems: Sequence[Problem], encoding: str | None, limits: Limits) -> Campaign:
    """The campaign of these problems with one encoding, by default the usual one."""
    needs_encoding = not is_clausal(problems[0]) if problems else False
    has_default = any(problem.has_bounds or not problem.has_rules for problem in problems)
    if encoding is None and needs_encoding and not has_default:
        encoding = USUAL_ENCODING
    encodings = None if encoding is None else [encoding]
    return Campaign(problems=problems, encodings=encodings, limits=limits)


@dataclass(frozen=True, kw_only=True)
class Bisecting:
    """A bisection between two revisions of the repository of `backend`, which is written without a
    revision, as in `git:../cadical`. `campaign` has the problems, one encoding and the limits, and
    `job` says how runs are measured. `above` is the share by which a bad commit has more conflicts
    or takes longer.
    """

    good: str
    bad: str
    backend: str
    by: Kind
    campaign: Campaign
    job: Job
    metric: str = METRICS[0]
    above: float | None = None
    again: Again = lambda _good, _bad: ""

    def run(self, note: Callable[[Step, int], None] = lambda _step, _left: None) -> Bisection:
        """Bisect. `note` gets each step, and about how many are left. Raises `InputError` for wrong
        revisions, and if good and bad are not what they are said to be.
        """
        spec, good, bad = self.ends()
        repository = spec.repository
        with self.job.open_store() as store, GitBisect(repository, good, bad) as search:
            trials = self._trials(spec, store)
            judge = self._judge(trials, self.commits_between(good, bad))
            result = Bisection(self.by, str(repository.path), good, bad, (), (), 0, 0)
            steps: list[Step] = []

            def keep(commit: Commit, judgement: Judgement, left: int) -> None:
                steps.append(Step(commit, judgement))
                note(steps[-1], left)

            why = ""
            try:
                ends = judge.begin(good, bad)
            except CannotTellError as error:
                why = str(error)
            else:
                for commit, judgement in zip((good, bad), ends, strict=True):
                    keep(commit, judgement, search.steps_left + 1)
                while (tried := search.next) is not None:
                    judgement = judge.judge(tried)
                    search.mark(judgement.mark)
                    keep(tried, judgement, search.steps_left + 1 if search.next else 0)
            result = replace(
                result,
                candidates=search.candidates,
                steps=steps,
                runs=trials.asked,
                measured=trials.measured,
                cannot_tell=why,
            )
        if result.commit is None:
            return result
        return replace(result, again=self.again(f"{result.commit.short}~1", result.commit.short))

    def ends(self) -> tuple[Spec, Commit, Commit]:
        """The parts of the backend's name, and the good and the bad commit. Raises `InputError`."""
        spec = Spec.without_revision(self.backend)
        good, bad = (spec.repository.commit(revision) for revision in (self.good, self.bad))
        if good == bad:
            raise InputError(f"{self.good} and {self.bad} are the same commit, {good.short}")
        if spec.repository.is_ancestor(bad, good):
            raise InputError(
                f"BAD, {self.bad}, is before GOOD, {self.good}: write GOOD first, as in nqbench "
                f"bisect {self.bad} {self.good}"
            )
        return spec, good, bad

    def commits_between(self, good: Commit, bad: Commit) -> int:
        """The number of commits after the good one, up to the bad one."""
        repository = Spec.without_revision(self.backend).repository
        return int(repository.git("rev-list", "--count", f"{good.digits}..{bad.digits}"))

    def _trials(self, spec: Spec, store: Store) -> Trials:
        return Trials(spec, self.campaign, self.job, store)

    def _judge(self, trials: Trials, commits: int) -> Judge:
        match self.by:
            case Kind.CONFLICTS:
                return ByConflicts(trials, self.above)
            case Kind.ANSWER:
                return ByAnswer(trials)
            case Kind.CRASH:
                return ByCrash(trials)
            case Kind.TIME:
                return ByTime(trials, self.metric, self.above, commits)
