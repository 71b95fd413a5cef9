"""Runs strangers' programs, each in a new folder of its own, confined.

A program can read only that folder, the system's programs and libraries, and what it is given;
write only to that folder; and use no network. It is stopped at limits of time, memory, output,
processes and files. Only bytes come back. `protection` says how far this machine confines: limits
and the folder are always there.
"""

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from nqbench.addons.grading.sandbox.confine import Program, Rules, look_before
from nqbench.addons.grading.sandbox.left_files import GivenFile
from nqbench.addons.grading.sandbox.protection import Grants, Protection
from nqbench.addons.grading.sandbox.watch import Report, ask_kernel, converse, watch
from nqbench.common.errors import NqbenchError
from nqbench.common.limits import Limits
from nqbench.common.units import memory
from nqbench.common.vocabulary import Outcome
from nqbench.isolate import scratch
from nqbench.isolate.fork import call, stream
from nqbench.isolate.processes import how_ended
from nqbench.isolate.supervise import Ending, says_out_of_memory

_SLACK_S: Final = 10.0
_LONGEST_CONVERSATION_S: Final = 1e6
_OF_WATCHER: Final = 2**40
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "JAVA_HOME", "TZ")
_END: Final = 2000
_LAST_PART: Final = 2**16
"""Bytes that are searched for lines: a program may have printed millions of them."""

_NO_PROCESS: Final = re.compile(
    rb"Resource temporarily unavailable|start new thread|create native thread|Cannot fork"
)
_LARGEST_OUTPUT: Final = 96 * 2**20
"""With as many bytes in files, it is less than what a process may return."""


@dataclass(frozen=True, slots=True)
class SandboxEnding:
    """How a confined program ended, or how far it is.

    `outcome` is finished (with exit status 0, or with a `reply`), timeout, memout or crashed, and
    `message` says why, in words; empty if it finished. `output` and `errors` are what was printed
    to either stream until then. `files` are those that it has left, new or changed, by their names;
    none if they have a `flaw`.
    """

    outcome: Outcome
    message: str
    output: bytes = b""
    errors: bytes = b""
    reply: bytes | None = None
    exit_status: int | None = None
    signal: int | None = None
    wall_s: float = 0.0
    files: Mapping[bytes, bytes] = field(default_factory=dict)
    flaw: str = ""

    @property
    def end_of_errors(self) -> str:
        """The end of what was printed to errors: as much as a message can be about."""
        return _end(self.errors)

    @property
    def last_line(self) -> str:
        """The last line that was printed: of its errors, if there are any."""
        for text in (self.end_of_errors, _end(self.output)):
            lines = text.split("\n")
            if line := next((line.strip() for line in lines[::-1] if line.strip()), ""):
                return "".join(c if c.isprintable() else "?" for c in line)[:200]
        return ""


class Sandbox:
    """Runs programs, each in a new folder with these `files`, by their names in it.

    `limits` has the time and the memory of each run, of all its processes together, and the bytes
    that it may print, at most 96 MiB. `readable` are files and folders that it may read besides the
    system's. `processes` may run at once, and files may have `file_bytes` together. Raises
    `NqbenchError` if no program can be run like this.
    """

    def __init__(
        self,
        limits: Limits,
        files: Mapping[bytes, GivenFile] | None = None,
        readable: Sequence[Path] = (),
        *,
        processes: int = 128,
        file_bytes: int = 128 * 2**20,
    ) -> None:
        self._files = files or {}
        self._has_root = granted().root
        self._rules = Rules(
            None,
            tuple(readable),
            replace(limits, output_bytes=min(limits.output_bytes, _LARGEST_OUTPUT)),
            processes,
            file_bytes,
        )

    def run(
        self,
        words: Sequence[str],
        given: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> SandboxEnding:
        """Run a program, whose name or path is the first word; a path that begins with `./` is one
        in its folder. It reads `given` from standard input. Raises `ExecutorError` if no process
        can be started.
        """
        limits = replace(self._rules.limits, cpu_s=self._rules.limits.time_s + 2)
        with self._prepared(words, environment, limits) as (program, rules):
            bounds = Limits(time_s=limits.time_s + _SLACK_S, memory_bytes=_OF_WATCHER)
            ending = call(lambda: watch(program, given, rules), bounds)
        if ending.outcome is not Outcome.FINISHED:
            return _failed(ending)
        return _ending(msgspec.msgpack.decode(ending.payload, type=Report), rules)

    @contextmanager
    def conversation(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> Iterator[Callable[[bytes], SandboxEnding]]:
        """A program that is asked for one thing after another: it gets a line on standard input,
        and writes a reply to standard output, as `watch.converse` says. What is yielded asks it;
        it has ended when an ending has no `reply`.
        """
        requests, ours = os.pipe()
        with self._prepared(words, environment, self._rules.limits) as (program, rules):
            reports = stream(
                lambda emit: converse(program, requests, rules, emit),
                Limits(time_s=_LONGEST_CONVERSATION_S, memory_bytes=_OF_WATCHER),
                keep=(requests,),
            )

            def ask(line: bytes) -> SandboxEnding:
                os.write(ours, line + b"\n")
                try:
                    report = msgspec.msgpack.decode(next(reports), type=Report)
                except StopIteration as end:
                    return _failed(end.value)
                return _ending(report, rules)

            try:
                yield ask
            finally:
                reports.close()
                os.close(requests)
                os.close(ours)

    @contextmanager
    def _prepared(
        self, words: Sequence[str], environment: Mapping[str, str] | None, limits: Limits
    ) -> Iterator[tuple[Program, Rules]]:
        """The program, and the rules for this run of it; with a folder, if it needs one here."""
        first = words[0] if words[0].startswith("./") else shutil.which(words[0]) or words[0]
        kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        program = Program([first, *words[1:]], {**kept, **(environment or {})}, self._files)
        readable = (*self._rules.readable, *(() if first.startswith("./") else (Path(first),)))
        rules = replace(self._rules, readable=readable, limits=limits)
        if self._has_root:
            look_before(rules)
            yield program, rules
            return
        folder = scratch.Folder(on_disk=not scratch.has_room(rules.file_bytes))
        try:
            yield program, replace(rules, folder=folder.path.resolve())
        finally:
            folder.remove()


@cache
def granted() -> Grants:
    """What the kernel of this machine grants to a `Sandbox`. Raises `NqbenchError` if nothing can
    be asked.
    """
    rules = Rules(None, (), Limits(), 1, 2**20)
    ending = call(lambda: ask_kernel(rules), Limits(memory_bytes=_OF_WATCHER))
    if ending.outcome is not Outcome.FINISHED:
        raise NqbenchError(f"nothing can be run in a sandbox here: {ending.message}")
    return msgspec.msgpack.decode(ending.payload, type=Grants)


@cache
def protection() -> Protection:
    """How far programs are confined on this machine. Raises `NqbenchError` if even an empty program
    of Python does not work in a sandbox.
    """
    words = [sys.executable, "-I", "-c", ""]
    ending = Sandbox(Limits(time_s=60.0, memory_bytes=2**30)).run(words)
    if ending.outcome is not Outcome.FINISHED:
        reason = ending.last_line or ending.message
        raise NqbenchError(f"nothing can be run in a sandbox here: {reason}")
    return Protection.by(granted())


def _end(printed: bytes) -> str:
    return printed[-_LAST_PART:].decode(errors="replace")


def _failed(ending: Ending) -> SandboxEnding:
    """The ending of a program whose watcher has ended without a report."""
    is_end = ending.outcome is Outcome.FINISHED
    message = "it has ended" if is_end else ending.message
    return SandboxEnding(Outcome.CRASHED if is_end else ending.outcome, message)


def _ending(report: Report, rules: Rules) -> SandboxEnding:
    code = None if report.status is None else os.waitstatus_to_exitcode(report.status)
    outcome, message = _judge(report, rules, code)
    return SandboxEnding(
        outcome=outcome,
        message=message,
        output=report.output,
        errors=report.errors,
        reply=report.reply,
        exit_status=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        wall_s=report.wall_s,
        files=report.files,
        flaw=report.flaw,
    )


def _judge(report: Report, rules: Rules, code: int | None) -> tuple[Outcome, str]:
    limits, said = rules.limits, report.errors[-_END:] + report.output[-_END:]
    if report.stopped is not None:
        return report.stopped, f"stopped at {report.because}"
    if report.reply is not None:
        return Outcome.FINISHED, ""
    if code == -signal.SIGXCPU:
        return Outcome.TIMEOUT, f"stopped at the limit of CPU time, {limits.time_s:g} s"
    if code and says_out_of_memory(said):
        return Outcome.MEMOUT, f"out of memory at {memory(limits.memory_bytes)}"
    if report.failure:
        reason = report.failure.decode(errors="replace")
        return Outcome.CRASHED, f"cannot be started: {reason}"
    if code == 0:
        return Outcome.FINISHED, ""
    if code is None:
        return Outcome.CRASHED, "ended without a status"
    at_limit = f" at {rules.processes} processes and threads" if _NO_PROCESS.search(said) else ""
    return Outcome.CRASHED, how_ended(code) + at_limit
