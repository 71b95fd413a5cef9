"""The runs of commits: planned, measured unless they are recorded, and kept in the store."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from nqbench.addons.revisions import building as revision_builds
from nqbench.addons.revisions.repository import Commit
from nqbench.addons.revisions.spec import Spec
from nqbench.campaign.grid import Campaign
from nqbench.campaign.job import Job
from nqbench.common.errors import InputError
from nqbench.problems.base import Problem
from nqbench.records.record import Record, Run
from nqbench.records.store import Store


@dataclass
class Trials:
    """Measures commits of one repository. `campaign` has the problems, the encoding and the limits.
    `asked` is the number of runs so far, and `measured` how many of them were not recorded before.
    """

    spec: Spec
    campaign: Campaign
    job: Job
    store: Store
    asked: int = 0
    measured: int = 0
    _planned: dict[tuple[str, int], list[Run]] = field(default_factory=dict)

    @property
    def problems(self) -> Sequence[Problem]:
        """The problems, in the order of `records`."""
        return self.campaign.problems

    def records(self, wanted: Sequence[tuple[Commit, int]]) -> list[list[Record]]:
        """The records of each commit in a repeat, one for each problem. They are measured in this
        order, problem by problem, so that those of one problem are close in time.
        """
        by_wish = [self._runs(commit, repeat) for commit, repeat in wanted]
        runs = [run for of_problem in zip(*by_wish, strict=True) for run in of_problem]
        job = replace(self.job, runs=runs)
        progress = job.measure_in(self.store)
        self.asked += len(runs)
        self.measured += progress.runs
        by_id = {record.run_id: record for record in self.store.records(progress.record_ids)}
        return [[by_id[run.id] for run in runs_of_wish] for runs_of_wish in by_wish]

    def _runs(self, commit: Commit, repeat: int) -> list[Run]:
        """The runs of a commit in this repeat, one for each problem."""
        key = commit.digits, repeat
        if key not in self._planned:
            name = self.spec.of(commit)
            revision_builds.build_all([name], self.job.tell)
            execution = self.job.execution
            first = self._planned.get((commit.digits, 0)) or self._one_each(
                replace(self.campaign, backends=[name], repeat=1).runs(
                    execution.machine, execution.cores
                )
            )
            self._planned[key] = [replace(run, repeat=repeat) for run in first]
            self._planned.setdefault((commit.digits, 0), first)
        return self._planned[key]

    def _one_each(self, runs: Sequence[Run]) -> list[Run]:
        """The runs, sorted. Raises `InputError` if a problem has several."""
        if len(runs) != len(self.problems):
            names = ", ".join(sorted({run.encoding for run in runs}))
            raise InputError(f"a bisection needs one encoding, not {names}: name one")
        return sorted(runs, key=lambda run: (run.problem.n or 0, str(run.problem)))
