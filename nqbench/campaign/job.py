"""One job behind `run`, `race`, `optimum`, `replay` and the functions of Python.

asked     campaigns of a suite, a file or a caller, with the settings of the user: `Campaigns`
planned   their runs, each once: `Campaigns.job`
checked   whether they can be measured here in this way: `Job.check`
measured  in a store that no other command writes to, or without one: `Job.measure`
observed  by a `narrator.Observer`: the command line, a terminal or a notebook

A race and the search for an optimum choose the next run by the records so far, so they measure in a
store that the job opens for them: `Job.open_store`. What a job would do now is a `preview.Preview`.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.campaign import campaign_file, runner, sharding, suites
from nqbench.campaign.combinations import NotWorking, Planned
from nqbench.campaign.execution import Execution
from nqbench.campaign.executors.base import Executor, Listener
from nqbench.campaign.grid import Campaign
from nqbench.campaign.narrator import Observer, Tally
from nqbench.campaign.sharding import Share
from nqbench.common.printable import listed
from nqbench.common.spelling import with_all
from nqbench.encodings.base import Encoding
from nqbench.plugins import from_file, name_rules
from nqbench.plugins.component import Component
from nqbench.problems.base import Problem
from nqbench.records import component_files, lock, names
from nqbench.records.record import Run
from nqbench.records.runs import Runs
from nqbench.records.sources import STORE_NAME
from nqbench.records.store import Store

if TYPE_CHECKING:
    import polars as pl

    from nqbench.measure import later_checks


def _why_left_out(reasons: Mapping[str, str]) -> list[str]:
    """A line for each one that `all` leaves out, and one for several that do not work here."""
    missing = [name for name, why in reasons.items() if isinstance(why, NotWorking)]
    missing = missing if len(missing) > 1 else []
    lines = [f"{name}: {why}" for name, why in reasons.items() if name not in missing]
    if missing:
        more = "" if len(missing) < 4 else f" and {len(missing) - 3} more"
        shown = ", ".join(missing[:3])
        lines.append(f"{shown}{more}, which do not work here: `nqbench doctor` says why")
    return lines


@dataclass(frozen=True)
class Campaigns:
    """What is asked for: campaigns as they are `stated`, and the `settings` of the user in place of
    theirs, by the fields of `Campaign` and `Limits` that they set. `file` is the campaign file that
    states them; None for problems, and for a suite, whose encodings and backends are not named by
    the user.
    """

    stated: Sequence[Campaign]
    settings: Mapping[str, Any]
    file: Path | None = None

    @classmethod
    def in_file(
        cls,
        path: Path,
        settings: Mapping[str, Any],
        allowed: Collection[str],
        ask: permission.Ask | None = None,
    ) -> Self:
        """The campaigns in a file. Raises `InputError` for a wrong file, and for programs in it
        that are not `allowed`.
        """
        return cls(campaign_file.permitted(path, settings, allowed, ask), settings, path)

    @classmethod
    def in_suite(
        cls,
        name: str,
        settings: Mapping[str, Any],
        allowed: Collection[str],
        ask: permission.Ask | None = None,
    ) -> Self:
        """The campaigns of a suite. Raises as `in_file` does."""
        return replace(cls.in_file(suites.path(name), settings, allowed, ask), file=None)

    @classmethod
    def of_problems(
        cls,
        problems: Sequence[Problem],
        settings: Mapping[str, Any],
        left_out: Sequence[str] = (),
    ) -> Self:
        """One campaign with these problems; `left_out` says which do not exist."""
        return cls([Campaign(problems=problems, left_out=left_out)], settings)

    @cached_property
    def _as_requested(self) -> tuple[list[Campaign], Counter[str]]:
        campaigns, unable = [], Counter[str]()
        for campaign in self.stated:
            requested, reasons = campaign.requested(self.settings)
            unable.update(_why_left_out(reasons))
            campaigns.append(requested)
        return campaigns, unable

    @property
    def requested(self) -> Sequence[Campaign]:
        """The campaigns with the settings of the user. Raises `InputError`."""
        return self._as_requested[0]

    @property
    def left_out_of_all(self) -> Counter[str]:
        """For each backend that `all` leaves out the reason, with the number of campaigns."""
        return self._as_requested[1]

    @property
    def notes(self) -> Counter[str]:
        """What else is left out and why, and what is to know of formulas, with the number of
        campaigns.
        """
        return Counter(note for campaign in self.requested for note in campaign.notes)

    @property
    def named_encodings(self) -> Collection[str]:
        """The encodings that the user names: those of a suite, of `all` and of the defaults are
        not.
        """
        return self._component_names(Encoding.named, "encodings")

    @property
    def named_backends(self) -> Collection[str]:
        """The backends that the user names."""
        return self._component_names(Backend.named, "backends")

    def _component_names(self, load: Callable[[str], Component], kind: str) -> Collection[str]:
        campaigns: Iterable[Campaign] = self.stated if self.file else ()
        lists = [self.settings.get(kind, ()), *(getattr(each, kind) or () for each in campaigns)]
        # Without `all`, by their canonical names.
        component_names = with_all(itertools.chain.from_iterable(lists), list)
        return frozenset(Planned.load(load, name).name for name in component_names)

    def job(
        self,
        execution: Execution,
        tell: name_rules.Tell = lambda _: None,
        *,
        builds: bool = True,
    ) -> "Job":
        """The job of these campaigns, to be completed by `replace`. What backends need that has
        to be made, as the solver of a commit, is made first, of which `tell` hears. Unless it
        `builds`, the runs that need it are left out, and `tell` hears of that. Raises `InputError`.
        """
        from_file.settle(
            (kind, names or ())
            for campaign in self.requested
            for kind, names in (
                (Backend, campaign.backends),
                (Encoding, campaign.encodings),
                (Encoding, campaign.amo),
            )
        )
        names_of_all = itertools.chain.from_iterable(c.backends or () for c in self.requested)
        backends = list(dict.fromkeys(names_of_all))
        campaigns = self.requested
        if builds:
            name_rules.make(backends, tell)
        elif unbuilt := name_rules.missing(backends):
            commits = listed([*dict.fromkeys(unbuilt.values())], 10, "; ")
            tell(f"not built yet, so their runs are not in this plan: {commits}")
            campaigns = list(_without(unbuilt, campaigns))
        planned = [campaign.runs(execution.machine, execution.cores) for campaign in campaigns]
        runs = Runs.joined(planned)
        names = campaign_file.names_in(self.file, runs) if self.file else {}
        return Job(runs=runs, execution=execution, names=names, asked=self)


def _without(names: Collection[str], campaigns: Iterable[Campaign]) -> Iterator[Campaign]:
    """Yield the campaigns without these backends, if others are left."""
    for campaign in campaigns:
        left = [name for name in campaign.backends or () if name not in names]
        if campaign.backends is None or left == list(campaign.backends):
            yield campaign
        elif left:
            yield replace(campaign, backends=left)


@dataclass(frozen=True, kw_only=True)
class Job:
    """Runs, each once, and how they are measured.

    Records go to the store in `folder`, if there is one. `command` is what started the job: the
    store says so, and so does whoever has to wait for it. `tell` gets for whom it waits itself.
    `names` are names for readers. `share` describes the part if the runs are a part of the
    campaign. `asked` are the campaigns that plan them.
    """

    runs: Sequence[Run]
    execution: Execution
    folder: Path | None = None
    command: str = ""
    tell: lock.Tell = lock.warn
    names: Mapping[str, str] = field(default_factory=dict)
    share: Share | None = None
    asked: Campaigns | None = field(default=None, compare=False)

    def part(self) -> Self:
        """The same job with the runs of the part that is asked for; this job if none is. It needs
        the folder of this job. Raises `InputError`.
        """
        sharding.check(self.execution, self.folder)
        if self.execution.shard is None:
            return self
        runs, share = sharding.share(self.runs, self.execution, self.execution.shard)
        return replace(self, runs=runs, share=share)

    def check(self) -> None:
        """Raise `InputError` or `UnavailableError` if the runs cannot be measured in this way."""
        self.execution.require(self.runs)

    @contextmanager
    def measure(
        self,
        observer: Observer,
        checks: Callable[[], AbstractContextManager["later_checks.Observer | None"]] = nullcontext,
    ) -> Iterator["pl.DataFrame"]:
        """Measure what is not recorded, and return the records of all runs, as far as there are
        any. No other command writes to the folder before the block ends. `checks` makes what
        follows the checks after the runs.

        Raises `ExecutorError`, `StoreError`, and `InputError` for what needs a folder.
        """
        if self.folder is None:
            from nqbench.records import frame

            yield frame.of(
                runner.measured(
                    self.runs,
                    execution=self.execution,
                    executor_of=lambda runs: self.executor(runs, observer),
                    observer=observer,
                )
            )
            return
        with self._alone(self.folder) as waited_s:
            job = replace(self, execution=self.execution.later(waited_s))
            with Store(self.folder / STORE_NAME) as store:
                self._keep_files(self.folder)
                progress = job.measure_in(store, observer)
                if self.execution.check is None and self.execution.budget_s is not None:
                    with checks() as checks_observer:
                        job._check_within_budget(store, checks_observer)
                records = store.frame(progress.record_ids)
            names.keep(self.folder, self.names)
            yield records

    @contextmanager
    def open_store(self) -> Iterator[Store]:
        """The store of the folder, to which no other command writes before the block ends. Without
        a folder, one that is removed then.
        """
        with ExitStack() as open_until_the_end:
            folder = self.folder
            if folder is None:
                scratch = TemporaryDirectory(prefix="nqbench-")
                folder = Path(open_until_the_end.enter_context(scratch))
            open_until_the_end.enter_context(self._alone(folder))
            self._keep_files(folder)
            yield open_until_the_end.enter_context(Store(folder / STORE_NAME))

    def measure_in(
        self,
        store: Store,
        observer: Observer | None = None,
        executor_of: Callable[[Sequence[Run]], Executor] | None = None,
    ) -> Tally:
        """Measure what this store does not have, by an executor of the job or by this one."""
        return runner.run(
            self.runs,
            store,
            executor_of or (lambda runs: self.executor(runs, observer)),
            execution=self.execution,
            command=self.command,
            observer=observer,
        )

    def executor(self, runs: Sequence[Run], listener: Listener | None = None) -> Executor:
        """An executor for some of the runs."""
        return self.execution.executor_of(runs, listener or Listener())

    def _keep_files(self, folder: Path) -> None:
        """Keep the files of components from files, by which others can measure or check again."""
        names = {name for run in Runs.of(self.runs).kinds for name in run.components}
        component_files.keep(folder, from_file.carried(names))

    def _alone(self, folder: Path) -> AbstractContextManager[float]:
        return lock.alone(folder / STORE_NAME, self.command, self.tell)

    def _check_within_budget(self, store: Store, observer: "later_checks.Observer | None") -> None:
        """Check the answers of the runs that are unchecked, until the budget is used up."""
        from nqbench.measure import later_checks

        runs = Runs.of(self.runs)
        run_ids = set(runs.ids())
        if not self.execution.left_s or run_ids.isdisjoint(
            record.run_id for record in store.unchecked()
        ):
            return
        later_checks.check(
            store,
            observer,
            jobs=self.execution.jobs,
            proofs=self.execution.checking.proofs,
            # All were started a moment ago.
            allowed={name for run in runs.kinds for name in run.components},
            run_ids=run_ids,
            until=lambda: not self.execution.left_s,
        )
