"""Where the time of a command goes, stage by stage, in the command and in its fork servers.

    python benchmarks/where_time_goes.py run --n 4..30 --fresh --quiet

A stage is a function. Its time is what passes in it without the other stages that it calls, so the
stages of one process add up to its whole time. The report of a worker has the times of its phases.
"""

import functools
import importlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

COMMAND = {
    "imports": "",
    "start of the servers": "nqbench.campaign.executors.local:LocalExecutor.__enter__",
    "imports of what shows records": "nqbench.cli.commands.run:_Narrator.starting",
    "schedule": "nqbench.campaign.schedule:Schedule.take",
    "sending a run": "nqbench.campaign.executors.local:LocalExecutor.submit",
    "waiting for a record": "nqbench.campaign.executors.local:LocalExecutor.wait",
    "reading a record": "nqbench.campaign.executors.slot:Slot.look",
    "gate of records": "nqbench.measure.validation:flaw_of_record",
    "store": "nqbench.records.store:Store.add",
    "progress": "nqbench.campaign.narrator:Narrator.note",
    "end of the servers": "nqbench.campaign.executors.local:LocalExecutor.__exit__",
    "reading the store": "nqbench.records.store:Store.frame",
    "plots": "nqbench.cli.commands.run:draw_plots",
    "page, after the plots": "nqbench.cli.commands.report:_wait_for",
    "statistics and table": "nqbench.cli.commands.run:_Running._finish",
    "planning and the rest": "nqbench.cli.app:main",
}

SERVER = {
    "imports": "",
    "preparing solvers": "nqbench.measure.server:Server._prepare",
    "waiting for a run": "nqbench.measure.wire:Wire.receive",
    "instance, encoded or cached": "nqbench.measure.server:InstanceCache.get",
    "fork": "nqbench.isolate.fork:fork",
    "following the process": "nqbench.isolate.fork:Isolation.call",
    "gate of reports": "nqbench.measure.validation:admitted",
    "judge": "nqbench.measure.run_judge:RunJudge.check",
    "record": "nqbench.measure.server:Server._execute",
    "sending the record": "nqbench.measure.wire:Wire.send",
    "the rest": "nqbench.measure.server:Server.serve",
}

INSIDE = (
    "from the fork to its turn",
    "waiting for its turn",
    "the function",
    "of that: load",
    "of that: solve",
    "of that: decode",
    "from the answer to its end",
)
"""What the processes do that a server forks: its runs and its encodings."""


class Clock:
    """The time and the calls of each stage of a process."""

    def __init__(self):
        self.seconds, self.calls, self._open = Counter(), Counter(), []

    def timed(self, stage, function):
        @functools.wraps(function)
        def call(*arguments, **named):
            self._switch(stage)
            try:
                return function(*arguments, **named)
            finally:
                self._switch(None)
                self.calls[stage] += 1

        return call

    def _switch(self, stage):
        now = time.monotonic()
        if self._open:
            self.seconds[self._open[-1][0]] += now - self._open[-1][1]
        if stage is None:
            self._open.pop()
        else:
            self._open.append([stage, now])
        if self._open:
            self._open[-1][1] = now

    def watch(self, stages):
        for stage, where in stages.items():
            if where:
                module, _, path = where.partition(":")
                owner = importlib.import_module(module)
                *outer, name = path.split(".")
                for each in outer:
                    owner = getattr(owner, each)
                setattr(owner, name, self.timed(stage, getattr(owner, name)))


def serve(descriptor, folder):
    """Be a fork server whose stages are timed."""
    clock, inside, started = Clock(), Counter(), time.monotonic()
    from nqbench.isolate.supervise import Supervisor  # noqa: PLC0415 - the import is timed
    from nqbench.measure import server, validation  # noqa: PLC0415

    clock.seconds["imports"] = time.monotonic() - started
    clock.watch(SERVER)
    ending, admitted, served = Supervisor.ending, validation.admitted, server.Server.serve

    def note_ending(supervisor):
        ended = ending(supervisor)
        if supervisor.began and supervisor.answered:
            began, _, waited = supervisor.began
            inside["calls"] += 1
            inside[INSIDE[0]] += began - waited - supervisor.started
            inside[INSIDE[1]] += waited
            inside[INSIDE[2]] += ended.function_s
            inside[INSIDE[6]] += supervisor.started + waited + ended.wall_s - supervisor.answered
        return ended

    def note_phases(run, ended):
        report = admitted(run, ended)
        for stage, phase in zip(INSIDE[3:6], ("load", "solve", "decode"), strict=True):
            inside[stage] += getattr(report, phase).wall_s if hasattr(report, phase) else 0
        return report

    def serve_and_tell(itself):
        try:
            served(itself)
        finally:
            told = [clock.seconds, clock.calls, inside]
            Path(folder, str(os.getpid())).write_text(json.dumps(told))

    Supervisor.ending, validation.admitted = note_ending, note_phases
    server.Server.serve = serve_and_tell
    server.main(descriptor)


def measure(words):
    """Execute a command and return its clock, and what each of its servers told."""
    from nqbench.campaign.executors import interpreter  # noqa: PLC0415 - the import is timed

    usual = interpreter.command

    def command(module, *arguments):
        if module != "nqbench.measure":
            return usual(module, *arguments)
        here = repr(str(Path(__file__).parent))
        call = f"where_time_goes.serve({int(arguments[0])}, {folder!r})"
        program = f"import sys; sys.path[:0] = [{here}]; import where_time_goes; {call}"
        return [sys.executable, "-c", program]

    interpreter.command = command
    clock, started = Clock(), time.monotonic()
    app = importlib.import_module("nqbench.cli.app")
    importlib.import_module("nqbench.cli.commands.run")
    clock.seconds["imports"] = time.monotonic() - started
    clock.watch(COMMAND)
    sys.argv[1:] = words
    with tempfile.TemporaryDirectory() as folder:
        try:
            app.main()
        except SystemExit as end:
            if end.code:
                raise
        told = [json.loads(path.read_text()) for path in Path(folder).iterdir()]
    return clock, told


def tables(clock, told):
    """Print the times of the command, of its servers together, and of what they forked."""
    seconds, calls, inside = map(sum_of, zip(*told, strict=True))
    count = inside.pop("calls")
    console = Console(width=100, stderr=True)
    whole = sum(clock.seconds.values())
    console.print(table(f"the command: {whole:.2f} s", COMMAND, clock.seconds, clock.calls))
    title = f"fork servers: {len(told)}, side by side"
    console.print(table(title, SERVER, seconds, calls))
    console.print(table("processes", INSIDE, inside, dict.fromkeys(INSIDE, count)))


def sum_of(counts):
    return sum(map(Counter, counts), Counter())


def table(title, stages, seconds, calls):
    shown = Table(title, "s", "calls", "ms per call")
    for stage in stages:
        each = calls.get(stage, 0)
        per_call = f"{1e3 * seconds[stage] / each:.3f}" if each else ""
        shown.add_row(stage, f"{seconds[stage]:.3f}", str(each or ""), per_call)
    return shown


if __name__ == "__main__":
    sys.modules["where_time_goes"] = sys.modules["__main__"]
    tables(*measure(sys.argv[1:]))
