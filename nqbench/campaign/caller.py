"""What the functions for notebooks have in common, those of add-ons as well: how problems and
components are given, the campaigns that a caller asks for, and who calls: a `Caller`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, overload

import click

from nqbench.campaign import arguments
from nqbench.campaign.suites import SUITES
from nqbench.common import PACKAGE, parsing
from nqbench.common.errors import InputError
from nqbench.common.machine import installation
from nqbench.common.printable import as_word
from nqbench.common.spelling import match_name
from nqbench.plugins import from_file
from nqbench.problems.base import Problem
from nqbench.records import settings

if TYPE_CHECKING:
    from nqbench.backends.permission import Ask
    from nqbench.campaign.job import Campaigns, Job
    from nqbench.campaign.progress import Progress

OneProblem = int | str | Problem | PathLike[str]
"""A number n is the empty n x n board. A text is a number, or the path of a formula."""

Problems = OneProblem | Iterable[int | str | Problem | PathLike[str]]
"""A text is a range of n, such as '4..30' or '8,16,32', or the path of a formula or a folder."""

Names = str | type | Sequence[str | type]
"""Names of encodings or backends, or their classes if these are in a file."""

T = TypeVar("T")


@overload
def name_of(component: str | type) -> str: ...


@overload
def name_of(component: str | type | None) -> str | None: ...


def name_of(component: str | type | None) -> str | None:
    """The name of a component, for which its class or function may be given."""
    if component is None or isinstance(component, str) or not from_file.is_definition(component):
        return cast("str | None", component)
    return from_file.name_of(component)


class Caller:
    """Who calls a function, in all that differs: here a notebook or a script. A command of the
    command line is another one, which prints.
    """

    ask: Ask | None = None
    """Asks whether what only a file names may be started; None if nobody is there to answer."""

    observer: Any = None
    """Follows what takes long; None if nothing does."""

    checks: Callable[[], AbstractContextManager[Any]] = nullcontext
    """Makes what follows the checks after a campaign."""

    builds: bool = True
    """Whether the solvers that runs need may be built before these are planned."""

    def command(self, function: str) -> str:
        """What has called, for stores and for whoever has to wait."""
        return f"nqbench.{function}"

    def continues(self, command: str) -> str:  # noqa: ARG002
        """What would go on after an interruption, in words."""
        return "call"

    def command_with(self, function: str, words: Mapping[str, str]) -> str:
        """The same with other words in place of its own ones."""
        return f"{self.command(function)}({', '.join(map(repr, words.values()))}, ...)"

    def tell(self, line: str) -> None:
        """Say something about the result."""
        self.warn(line)

    def warn(self, line: str) -> None:
        """Say what a command prints itself: as a warning, at the line that has called nqbench."""
        frame, level = sys._getframe(), 1
        while frame.f_back and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
            frame, level = frame.f_back, level + 1
        warnings.warn(line, stacklevel=level)

    def warn_each(self, lines: Iterable[str]) -> None:
        """Say each of these lines, which take time to find."""
        for line in lines:
            self.warn(line)

    def note(self, known: object) -> None:
        """Take note of what becomes known before the function returns: nothing is shown."""

    def watch(self, doing: str) -> None:
        """Take note of what is being done now, in place of what `doing` said: nothing is shown."""

    def collect(self, found: Iterable[T]) -> list[T]:
        """The results that are found one after another."""
        return list(found)

    def leave_out(self, campaigns: Campaigns) -> None:
        """Say what is left out of campaigns."""
        for note in campaigns.notes:
            self.warn(note)
        if left_out := campaigns.left_out_of_all:
            self.warn(f"left out of 'all': {'; '.join(left_out)}")

    def teller(self, is_shown: bool) -> Callable[[str], None]:
        """What prints lines about what takes long, beside the output; nothing unless they are
        shown.
        """
        if is_shown:
            return lambda line: click.echo(f"nqbench: {line}", err=True)
        return lambda _: None

    def display(self, progress: bool | None = None) -> Progress | None:
        """Where progress is shown: in a notebook and on a terminal, or as the user says."""
        from nqbench.campaign.progress import display

        return display(None if progress is None else parsing.yes_or_no("progress", progress))

    def doing(self, doing: str) -> AbstractContextManager[None]:
        """What shows what is being done: below the cell of a notebook."""
        from nqbench.campaign.progress import shown_below_cell

        return shown_below_cell(doing, self.display())

    @contextmanager
    def status(self, doing: str, is_shown: bool = True) -> Iterator[Callable[[str], None]]:
        """The same, with a function that shows each step."""
        with self.doing(doing) if is_shown else nullcontext():
            yield lambda _step: None


CALLER: Final = ContextVar("caller", default=Caller())  # noqa: B039 - it has no state
"""Who has called the function that is executed."""


def waiting(doing: str) -> AbstractContextManager[None]:
    """Short for `Caller.doing`."""
    return CALLER.get().doing(doing)


def plan(function: str, given: Mapping[str, Any]) -> Job:
    """The job that these arguments of a function ask for, among them its settings; the caller takes
    note of it. Says what is left out. Raises `InputError` and `UnavailableError`.
    """
    from nqbench.campaign.execution import Execution

    caller, values = CALLER.get(), settings.read(given)
    execution = Execution(**{each.sets: values[each.sets] for each in settings.of(Execution)})
    is_shown = caller.display(given["progress"]) is not None
    with caller.doing("planning") if is_shown else nullcontext():
        if shadowed := installation.why_shadowed():
            caller.tell(shadowed)
        campaigns = _resolve_campaigns(given, settings.stated(values))
        caller.leave_out(campaigns)
        planned = campaigns.job(execution, caller.teller(is_shown), builds=caller.builds)
    job = replace(
        planned,
        folder=parsing.path(given["results"]) if given["results"] else None,
        command=caller.command(function),
        tell=caller.tell,
    ).part()
    job.check()
    caller.note(job)
    return job


def _check_rows(problems: Sequence[Problem], paths: Sequence[Path]) -> None:
    """Raise `InputError` for files with and without rows, with the command for each kind."""
    from nqbench.campaign.combinations import MIXED_ROWS, is_clausal, paths_apart
    from nqbench.problems.families.cnf import Formula

    formulas = [problem for problem in problems if isinstance(problem, Formula)]
    if len({is_clausal(formula) for formula in formulas}) < 2:
        return
    command, before, after = CALLER.get().command("run"), "", ""
    words = [f"--cnf {as_word(str(path))}" for path in paths]
    if all(word in command for word in words):
        for word in words[1:]:
            command = command.replace(f" {word}", "", 1)
        before, after = command.split(words[0], 1)
    commands = [f"`{before}--cnf {apart}{after}`" for apart in paths_apart(formulas)]
    raise InputError(f"{MIXED_ROWS}: {' and '.join(commands)}")


def _resolve_campaigns(given: Mapping[str, Any], stated: Mapping[str, Any]) -> Campaigns:
    from nqbench.campaign.job import Campaigns
    from nqbench.campaign.workload import Workload

    problems, suite, file = (given[name] for name in ("problems", "suite", "campaign_file"))
    if suite is None and file is None:
        if isinstance(problems, Workload):  # the seed of the runs draws the problems, too
            seed = stated.get("seed", Workload.seed)
            every, left_out = replace(problems, seed=seed).problems()
            _check_rows(every, problems.formulas)
            return Campaigns.of_problems(every, stated, left_out)
        return Campaigns.of_problems(arguments.problems(problems), stated)
    if problems is not None or None not in {suite, file}:
        raise InputError("give only one of problems, suite and campaign_file")
    allowed, ask = parsing.texts("allow_programs", given["allow_programs"]), CALLER.get().ask
    if suite:
        return Campaigns.in_suite(match_name("suite", suite, SUITES), stated, allowed, ask)
    return Campaigns.in_file(parsing.path(file), stated, allowed, ask)
