"""The group of commands, and the output of errors."""

import contextlib
import errno
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import click

from nqbench.cli.board import board
from nqbench.cli.certify import certify
from nqbench.cli.check import check
from nqbench.cli.clauses import clauses, decode, encode
from nqbench.cli.compare import compare
from nqbench.cli.export import export
from nqbench.cli.guesses import RunByDefault
from nqbench.cli.merge import merge
from nqbench.cli.mistakes import explained
from nqbench.cli.output import output
from nqbench.cli.plot import plot
from nqbench.cli.report import report
from nqbench.cli.run import run
from nqbench.cli.show import doctor, list_
from nqbench.cli.solve import count, solve
from nqbench.cli.summary import summary
from nqbench.cli.watch import watch
from nqbench.errors import ExecutorError, InputError, NqbenchError, SolverError
from nqbench.printable import printable

_LONGEST: Final = 2000
"""Limit for an error message, in characters."""

_OUTPUT_IS_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG)

_SYSTEM_IS_FULL: Final = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)

_EXAMPLES = """\b
Examples:
  nqbench --n 4..30                            measure, check, record and plot
  nqbench run --n 8..64..8 --encoding pairwise,level1 --backend all
  nqbench report                               the results as an HTML page
  nqbench compare before/ after/ --fail-above 10%
  nqbench solve --board start.txt              complete a board from a file
  nqbench watch --n 8                          show a search step by step
  nqbench list backends
"""


class Terminated(SystemExit):
    """Raised for SIGTERM; leaves every `with` block like KeyboardInterrupt."""


class _OutputClosedError(Exception):
    """The reader of the output has closed it, as `head` does."""


class _Nqbench(RunByDefault):
    def invoke(self, ctx: click.Context) -> object:
        """Hide a closed pipe from click, which would exit with 1, the status of a wrong answer."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _OutputClosedError from error


@click.group(
    cls=_Nqbench,
    no_args_is_help=True,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(None, "-V", "--version", package_name="nqbench", prog_name="nqbench")
def app() -> None:
    """Which SAT encoding and which solver, for this problem, at this size? nqbench measures it on n
    queens, on other exact covers, and on formulas of your own.

    `nqbench --n 4..30` is short for `nqbench run --n 4..30`, and `nqbench help run` for
    `nqbench run --help`.
    """


for command in (
    run,
    check,
    summary,
    plot,
    export,
    merge,
    compare,
    report,
    output,
    list_,
    solve,
    count,
    board,
    watch,
    encode,
    clauses,
    decode,
    certify,
    doctor,
):
    app.add_command(command)


def main() -> NoReturn:
    """Run the command line and exit with 0 for success, 1 for a wrong answer or a crash, 2 for bad
    input, and as in a shell 130 for Ctrl-C, 143 for SIGTERM and 141 for a closed output.
    """
    signal.signal(signal.SIGTERM, _terminate)
    _open_what_is_closed()
    sys.exit(_status())


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
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8"))


def _status() -> int:
    try:
        _check_folder()
        status = app.main(prog_name="nqbench", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return 2
    except click.ClickException as error:
        return _complain(explained(error))
    except NqbenchError as error:
        _complain(str(error))
        return 1 if isinstance(error, SolverError | ExecutorError) else 2
    except (KeyboardInterrupt, click.Abort):
        print("nqbench: interrupted", file=sys.stderr)
        return 130
    except Terminated:
        print("nqbench: terminated", file=sys.stderr)
        return 143
    except (BrokenPipeError, _OutputClosedError):
        _drop_output()
        return 128 + signal.SIGPIPE
    except BaseException as error:
        return _status_of(error)
    return status if isinstance(status, int) else 0


def _status_of(error: BaseException) -> int:
    """Status for a full disk or a small `ulimit`. Other errors are bugs and are raised again."""
    number = error.errno if isinstance(error, OSError) else None
    if number in _OUTPUT_IS_FULL:
        _drop_output()
        return _complain(f"cannot write the output: {os.strerror(number)}")
    # Polars fails with a Rust panic if it cannot start its threads.
    if number in _SYSTEM_IS_FULL or type(error).__name__ == "PanicException":
        _complain(f"the system refused what nqbench needs: {error}; see ulimit -a")
        return 1
    raise error


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
    raise Terminated
