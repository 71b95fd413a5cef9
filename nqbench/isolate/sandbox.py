"""Runs strangers' code: a program, or a function of Python, in a private empty folder.

It can read only that folder, the system's programs and libraries, and what it is given; write only
to that folder; and use no network. It is stopped at limits of time, memory, output, processes and
files. Only bytes come back. `lacking` is what the kernel of this machine does not offer, as in many
containers: limits and the folder are always there.
"""

import os
import shutil
import signal
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final, Self

import msgspec

from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits
from nqbench.common.units import memory
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import scratch
from nqbench.isolate.confine import Code, Rules
from nqbench.isolate.fork import call
from nqbench.isolate.frames import MEMORY, RAISED, RETURNED
from nqbench.isolate.processes import how_ended
from nqbench.isolate.supervise import says_out_of_memory
from nqbench.isolate.watch import Report, watch

_SLACK_S: Final = 10.0
_OF_WATCHER: Final = 2**40
_KEPT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "JAVA_HOME", "TZ")
_END: Final = 2000
_LARGEST_OUTPUT: Final = 128 * 2**20


@dataclass(frozen=True, slots=True)
class SandboxEnding:
    """How confined code ended.

    `outcome` is finished (a program: with exit status 0), timeout, memout or crashed, and `message`
    says why, in words; empty if it finished. `result` is what a function returned, `output` and
    `errors` what was printed to either stream until the end. `lacking` is what protected less.
    """

    outcome: Outcome
    message: str
    result: bytes
    output: bytes
    errors: bytes
    exit_status: int | None
    signal: int | None
    wall_s: float
    lacking: tuple[str, ...] = ()

    @property
    def last_line(self) -> str:
        """The last line that was printed: of its errors, if there are any."""
        for text in (self.errors, self.output):
            lines = text.decode(errors="replace").split("\n")
            if line := next((line.strip() for line in lines[::-1] if line.strip()), ""):
                return "".join(c if c.isprintable() else "?" for c in line)[:200]
        return ""


class Sandbox:
    """A private empty folder, in which programs and functions are run, confined.

    `limits` has the time and the memory of each run, of all its processes together, and the bytes
    that it may print, at most 128 MiB. `readable` are files and folders that it may read besides
    the system's. `processes` may run at once, and files may have `file_bytes` together. Leave the
    `with` block to remove the folder.
    """

    def __init__(
        self,
        limits: Limits,
        readable: Sequence[Path] = (),
        *,
        processes: int = 128,
        file_bytes: int = 256 * 2**20,
    ) -> None:
        self._scratch = scratch.Folder(on_disk=not scratch.has_room(file_bytes))
        self._rules = Rules(
            self._scratch.path.resolve(),
            tuple(path.resolve() for path in readable),
            replace(limits, output_bytes=min(limits.output_bytes, _LARGEST_OUTPUT)),
            processes,
            file_bytes,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.remove()

    @property
    def folder(self) -> Path:
        """The private folder."""
        return self._rules.folder

    @property
    def lacking(self) -> tuple[str, ...]:
        """What this machine does not offer, and what follows from that, in words."""
        return lacking()

    def run(
        self,
        words: Sequence[str],
        given: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> SandboxEnding:
        """Run a program, whose name or path is the first word. It reads `given` from standard
        input, and may read its own file. Raises `ExecutorError` if no process can be started.
        """
        program = Path(shutil.which(words[0]) or words[0]).absolute()
        readable = (*self._rules.readable, program, program.resolve())
        rules = replace(self._rules, readable=readable)
        return self._watched([str(program), *words[1:]], given, environment, rules)

    def call(self, function: Callable[[], bytes]) -> SandboxEnding:
        """Call a function in a forked process, which has all modules that this one has imported.
        Raises `ExecutorError` if no process can be started.
        """
        return self._watched(function, b"", None, self._rules)

    def files(self) -> list[Path]:
        """The regular files that are in the folder and those below it, sorted. No links."""
        found = []
        for folder, _, names in os.walk(self.folder):
            paths = [Path(folder, name) for name in names]
            found += [path for path in paths if stat.S_ISREG(path.lstat().st_mode)]
        return sorted(found)

    def content(self, file: Path) -> bytes:
        """What one of the `files` contains."""
        # It was a regular file. What the code has started is dead, so it still is.
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:  # noqa: PTH123
            return opened.read(self._rules.file_bytes)

    def contents(self) -> dict[str, bytes]:
        """What all `files` contain, by their names in the folder."""
        return {str(file.relative_to(self.folder)): self.content(file) for file in self.files()}

    def _watched(
        self,
        what: Sequence[str] | Callable[[], bytes],
        given: bytes,
        environment: Mapping[str, str] | None,
        rules: Rules,
    ) -> SandboxEnding:
        own = {"HOME": str(self.folder), "TMPDIR": str(self.folder)}
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        variables = {**kept, **own, **(environment or {})}
        bounds = Limits(time_s=rules.limits.time_s + _SLACK_S, memory_bytes=_OF_WATCHER)
        ending = call(lambda: watch(Code(what, variables), given, rules), bounds)
        _open_folders(self.folder)
        if ending.outcome is not Outcome.FINISHED:
            report = Report(wall_s=ending.wall_s)
            failed = _ending(report, rules.limits, is_function=callable(what))
            return replace(failed, outcome=ending.outcome, message=ending.message)
        report = msgspec.msgpack.decode(ending.payload, type=Report)
        return _ending(report, rules.limits, is_function=callable(what))


@cache
def lacking() -> tuple[str, ...]:
    """What this machine does not offer to a `Sandbox`, and what follows from that, in words. Empty
    if it offers everything.
    """
    with Sandbox(Limits(time_s=20.0)) as sandbox:
        ending = sandbox.call(lambda: b"")
    if ending.outcome is not Outcome.FINISHED:
        raise NqbenchError(f"nothing can be run in a sandbox here: {ending.message}")
    return ending.lacking


def _open_folders(path: Path) -> None:
    """Let this process list and remove all folders below this one, whatever their modes."""
    for folder, names, _ in os.walk(path):
        for name in names:
            below = Path(folder, name)
            if not below.is_symlink():
                below.chmod(0o700)


def _ending(report: Report, limits: Limits, *, is_function: bool) -> SandboxEnding:
    code = None if report.status is None else os.waitstatus_to_exitcode(report.status)
    outcome, message = _judge(report, limits, code, is_function)
    return SandboxEnding(
        outcome=outcome,
        message=message,
        result=report.result[1:] if outcome is Outcome.FINISHED else b"",
        output=report.output,
        errors=report.errors,
        exit_status=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        wall_s=report.wall_s,
        lacking=tuple(report.lacking),
    )


def _judge(
    report: Report, limits: Limits, code: int | None, is_function: bool
) -> tuple[Outcome, str]:
    tag, reason = report.result[:1], report.result[1:].decode(errors="replace")
    if report.stopped is not None:
        return report.stopped, f"stopped at {report.because}"
    if code == -signal.SIGXCPU:
        return Outcome.TIMEOUT, f"stopped at the limit of CPU time, {limits.time_s:g} s"
    says_memory = bool(code) and says_out_of_memory(report.errors + report.output[-_END:])
    if tag == MEMORY or says_memory:
        return Outcome.MEMOUT, f"out of memory at {memory(limits.memory_bytes)}"
    if tag == RAISED:
        return Outcome.CRASHED, reason if is_function else f"cannot be started: {reason}"
    if code == 0 and is_function and tag != RETURNED:
        return Outcome.CRASHED, "ended without a result"
    if code == 0:
        return Outcome.FINISHED, ""
    return Outcome.CRASHED, "ended without a status" if code is None else how_ended(code)
