"""The group of commands, and the output of errors."""

import contextlib
import errno
import gc
import io
import math
import os
import pkgutil
import resource
import signal
import sys
import threading
import weakref
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import click

from nqbench.cli import moved
from nqbench.cli.every_command import refusing_twice, with_short_help
from nqbench.cli.guesses import RunByDefault, click_command, words_of
from nqbench.cli.mistakes import explained, with_options
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common.errors import (
    ExecutorError,
    InputError,
    NqbenchError,
    SolverError,
)
from nqbench.common.printable import printable
from nqbench.plugins.declared import Command, added_commands

_LONGEST: Final = 2000
"""Limit for an error message, in characters."""

_FEW_COLLECTIONS: Final = 200_000
"""New objects between two collections of garbage. The imports of a command make 100,000, of which
none is garbage: to look for it ten times takes 60 ms.
"""

_OUTPUT_IS_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)

_NAME_IS_REFUSED: Final = (errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP)

_AGAIN_S: Final = 0.05

_LEAST_ADDRESS_SPACE: Final = 2**30
"""With less, NumPy, Polars and others end the process, or leave modules that are half imported."""

_MAY_NOT_SUFFICE: Final = 4 * 2**30
"""With less, an unexpected error is one of the system: each thread of Polars reserves some."""

_SYSTEM_IS_FULL: Final = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)

_TYPED: Final = f"{__name__}.typed"
"""Where a context keeps the name of the command as it was typed."""

_EXAMPLES = """\b
Examples:
  nqbench --n 4..30                            measure, check, record and plot
  nqbench run --n 8..64..8 --encoding pairwise,product --backend all
  nqbench report                               the results as an HTML page
  nqbench solve --board start.txt              complete a board from a file
  nqbench list backends
"""


GROUPS: Final = {
    "Start here": {
        "run": ("run:run", "Measure encodings and backends over a range of n."),
        "solve": ("solve:solve", "Find and draw the solutions of one problem."),
        "report": ("report:report", "Write the results as one HTML page."),
        "doctor": ("show:doctor", "Check what works here, and what would disturb timings."),
    },
    "Measure": {
        "optimum": ("optimum:optimum", "Find the least or greatest k with a solution."),
        "check": ("check:check", "Check the answers that are unchecked."),
        "list": ("show:list_", "List encodings, backends and families."),
    },
    "Read results": {
        "summary": ("summary:summary", "Print a table of the results."),
        "plot": ("plot:plot", "Draw plots of the results."),
        "output": ("output:output", "Print what a run printed, or read numbers from it."),
    },
    "Share results": {
        "export": ("export:export", "Write the records for other tools."),
        "merge": ("merge:merge", "Add the records of other stores."),
    },
    "Boards": {
        "count": ("solve:count", "Count the solutions of one problem."),
    },
    "Formulas": {
        "encode": ("clauses:encode", "Write a problem as clauses, in a DIMACS file."),
        "decode": ("clauses:decode", "Draw the board in a solver's output file."),
        "reencode": ("reencode:reencode", "Write a formula's at-most-ones in another scheme."),
        "use": ("use:use", "Print a program that solves with a combination."),
    },
}
"""Each command of the core under its heading: where it is, and its text in the list of commands.
What most need comes first, the groups and commands for experts last. A command is imported only
when it is called: all of them together take longer to import than most need to run.
"""


def commands() -> dict[str, Command]:
    """Each command by name, in the order of the help: below each heading those of the core, and
    those of add-ons where they say, or else at its end. Of two with one name, that of the core.
    """
    core = {
        name: Command(heading, _place(place), text)
        for heading, group in GROUPS.items()
        for name, (place, text) in group.items()
    }
    added = {name: command for name, command in added_commands().items() if name not in core}
    order = list(core)
    for name, command in added.items():
        after = order.index(command.after) + 1 if command.after in order else len(order)
        order.insert(after, name)
    every = core | added
    headings = dict.fromkeys([*GROUPS, *(command.heading for command in every.values())])
    return {
        name: every[name]
        for heading in headings
        for name in order
        if every[name].heading == heading
    }


def _place(place: str) -> str:
    """Where a command of the core is, with its package."""
    return f"nqbench.cli.commands.{place}"


def _ready(command: click.Command) -> click.Command:
    """An imported command, as it is called."""
    command.options_metavar = f"[OPTIONS] {words_of(command)}".rstrip()
    return with_short_help(refusing_twice(command))


class Terminated(SystemExit):
    """Raised for SIGTERM; leaves every `with` block like KeyboardInterrupt."""


class _OutputClosedError(Exception):
    """The reader of the output has closed it, as `head` does."""


class _Nqbench(RunByDefault):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names of all commands, in the order of the help."""
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command; None if there is none of this name. Raises `UnavailableError` for
        that of an add-on which cannot be imported.
        """
        if cmd_name in moved.COMMANDS:
            return _ready(pkgutil.resolve_name(_place(moved.COMMANDS[cmd_name].place)))
        declared = commands().get(cmd_name)
        if declared is None:
            return None
        _check_address_space()
        is_core = any(cmd_name in group for group in GROUPS.values())
        with shown_while_waiting("starting"):
            command: click.Command = (
                pkgutil.resolve_name(declared.place)
                if is_core
                else click_command(cmd_name, declared)
            )
        return _ready(moved.with_options(cmd_name, command))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant, also by an old name, and its arguments."""
        first, *rest = args
        ctx.meta[_TYPED] = first
        name, rest = moved.resolve(first, rest)
        return super().resolve_command(ctx, [name, *rest])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the groups of commands without importing them."""
        widest = max(map(len, commands()))
        by_heading = groupby(commands().items(), lambda each: each[1].heading)
        for heading, group in by_heading:
            with formatter.section(heading):
                formatter.write_dl([(f"{name:{widest}}", each.text) for name, each in group])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and those of add-ons."""
        added = "".join(f"  {each.example}\n" for each in commands().values() if each.example)
        self.epilog = _EXAMPLES + added
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> object:
        """Hide a closed pipe from click, which would exit with 1, the status of a wrong answer; and
        say at the end what an old name is now.
        """
        try:
            result = super().invoke(ctx)
        except BrokenPipeError as error:
            raise _OutputClosedError from error
        moved.tell_new_name(ctx.meta.get(_TYPED))
        return result


@click.group(
    cls=_Nqbench,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(None, "-V", "--version", package_name="nqbench", prog_name="nqbench")
def app() -> None:
    """Which SAT encoding and which solver, for this problem, at this size? nqbench answers that
    by measuring, on n queens, on other exact covers, and on your own formulas.

    `nqbench --n 4..30` is short for `nqbench run --n 4..30`. `nqbench run -h` shows what most need
    of a command, and `nqbench run --help-all` everything.
    """


def main() -> NoReturn:
    """Run the command line and exit with 0 for success, 1 for a wrong answer or a crash, 2 for bad
    input, and as in a shell 130 for Ctrl-C, 143 for SIGTERM and 141 for a closed output.
    """
    sys.unraisablehook = _ignore_unraisable
    # NumPy would start threads for linear algebra, which takes longer than anything done with them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_what_is_closed()
    if isinstance(sys.stdout, io.TextIOWrapper):
        with contextlib.suppress(OSError):
            sys.stdout.reconfigure(errors="surrogateescape")  # names that are not UTF-8
    gc.set_threshold(_FEW_COLLECTIONS)
    status = _status()
    gc.freeze()  # the interpreter would look for garbage before it ends, which takes 80 ms
    sys.exit(status)


def _open_what_is_closed() -> None:
    """Replace closed standard streams, as after `>&-`, by the null device. Otherwise printed text
    would go to the next file that is opened, such as the store.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "r" if descriptor == 0 else "w"
            null = os.open(os.devnull, os.O_RDWR)
            if null != descriptor:
                os.dup2(null, descriptor)
                os.close(null)
            os.set_inheritable(descriptor, True)  # a server's next file would get its number
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


def _status() -> int:
    try:
        _raise_for_signals()
        _check_folder()
        status = app.main(prog_name="nqbench", standalone_mode=False)
        sys.stdout.flush()
        _die_of_signals()
    except BaseException as error:
        _die_of_signals()
        stopped = _status_of_signal(error)
        return _status_of(error) if stopped is None else stopped
    return status if isinstance(status, int) else 0


def _raise_for_signals() -> None:
    """Have SIGTERM raise an exception, and Ctrl-C if it is not ignored, as behind `nohup`."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # see `nqbench.__main__`
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _die_of_signals() -> None:
    """Have them end this process: an exception would end nothing any more, or be shown."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _status_of_signal(error: BaseException | None) -> int | None:
    """Status for a signal that raised this error, or during whose handling it was raised."""
    while error is not None:
        for kind, status, word in _SIGNALS:
            if isinstance(error, kind):
                with contextlib.suppress(OSError):  # standard error may be closed or full
                    print(f"nqbench: {word}", file=sys.stderr)
                return status
        error = error.__context__
    return None


def _status_of(error: BaseException) -> int:
    """Status for a mistake of the user, a closed output, or what `_status_of_system` knows."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return 2
    if isinstance(error, click.ClickException):
        return _complain(explained(error))
    if isinstance(error, NqbenchError):
        _complain(with_options(str(error)))
        return 1 if isinstance(error, SolverError | ExecutorError) else 2
    if isinstance(error, BrokenPipeError | _OutputClosedError):
        _drop_output()
        return 128 + signal.SIGPIPE
    return _status_of_system(error)


def _status_of_system(error: BaseException) -> int:
    """Status for a full disk, a small `ulimit`, a file that the system refuses, or an exception of
    a plugin. Other errors are bugs and are raised again.
    """
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, OSError) and error.filename and number in _NAME_IS_REFUSED:
        return _complain(f"cannot use {error.filename}: {error.strerror}")
    if number in _OUTPUT_IS_FULL:
        _drop_output()
        return _complain(f"cannot write the output: {os.strerror(number)}")
    # Polars fails with a Rust panic if it cannot start its threads.
    if number in _SYSTEM_IS_FULL or type(error).__name__ == "PanicException":
        _complain(f"the system refused what nqbench needs: {error}; see ulimit -a")
        return 1
    if isinstance(error, MemoryError) or _address_space() < _MAY_NOT_SUFFICE:
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        _complain(f"the system refused what nqbench needs: {what}; see ulimit -a")
        return 1
    from nqbench.plugins.culprit import culprit  # of use after an error only

    if where := culprit(error):
        return _complain(f"{where} raised {type(error).__name__}: {error}")
    raise error


def _address_space() -> float:
    """Bytes that this process may reserve; infinity without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else limit


def _check_address_space() -> None:
    """Raise `ExecutorError` if libraries would end the process while they are imported."""
    if (limit := _address_space()) < _LEAST_ADDRESS_SPACE:
        raise ExecutorError(
            f"the address space is limited to {limit / 2**20:.0f} MiB, and nqbench needs "
            f"{_LEAST_ADDRESS_SPACE // 2**20} MiB: see ulimit -v"
        )


def _check_folder() -> None:
    try:
        Path.cwd()
    except OSError as error:
        raise InputError("the current folder no longer exists: change to another one") from error


def _drop_output() -> None:
    """Discard further output, so that text left in the buffers causes no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(message: str) -> int:
    with contextlib.suppress(OSError):  # standard error may be closed or full
        print(f"nqbench: {printable(' '.join(message.split()), _LONGEST)}", file=sys.stderr)
    return 2


def _terminate(_number: int, _frame: FrameType | None) -> NoReturn:
    raise _noticing_its_loss(Terminated(128 + signal.SIGTERM))


def _noticing_its_loss(error: Terminated) -> Terminated:
    """The error, which is raised again if it ends somewhere else than in `_status`: Python drops
    what is raised while it folds constants of a module, or while an object is removed.
    """
    weakref.finalize(error, _terminate_later).atexit = False
    return error


def _terminate_later() -> None:
    if signal.getsignal(signal.SIGTERM) is _terminate:
        threading.Timer(_AGAIN_S, os.kill, (os.getpid(), signal.SIGTERM)).start()


def _ignore_unraisable(ignored: "sys.UnraisableHookArgs") -> None:
    if not isinstance(ignored.exc_value, Terminated):
        sys.__unraisablehook__(ignored)


_SIGNALS: Final = (
    (Terminated, 128 + signal.SIGTERM, "terminated"),
    ((KeyboardInterrupt, click.Abort), 128 + signal.SIGINT, "interrupted"),
)
"""The exceptions that signals raise, the status of each, and the word for it."""
