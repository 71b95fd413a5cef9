"""The fork server: executes one run at a time, each in a worker forked from this process.

Started as `python -m nqbench.measure FD`, where FD is its end of a socket pair. It imports the
libraries once and stays small, without threads. It ends when the socket closes: if its owner dies
in any way, the run in progress is killed and the server ends.
"""

import gc
import importlib
import math
import os
import signal
import socket
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import msgspec

from nqbench.backends.base import Backend
from nqbench.checking.verify import Check
from nqbench.common import metrics
from nqbench.common.column_types import LARGEST_INTEGER
from nqbench.common.errors import ExecutorError
from nqbench.common.limits import Limits
from nqbench.common.machine import builds, environment, installation
from nqbench.common.machine.cpus import cpu_list
from nqbench.common.printable import printable
from nqbench.common.vocabulary import (
    LEFT,
    WHILE_ENCODING,
    Answer,
    Outcome,
    Phase,
    Task,
    combination,
)
from nqbench.encodings.base import Encoding
from nqbench.isolate import Isolation, guard, processes
from nqbench.isolate.pages import Pages, close_holes
from nqbench.isolate.printed_output import Printed, pack_log
from nqbench.isolate.shared_memory import Cap, Incumbents, Phases
from nqbench.isolate.supervise import Abandoned, Ending
from nqbench.measure import source_files, validation
from nqbench.measure.asking import Asking, asking_of
from nqbench.measure.best_found import (
    fields_of_best,
    flaw_of_points,
    incumbents_of,
    report_of_last,
)
from nqbench.measure.cache import Encoded, InstanceCache
from nqbench.measure.loaded_run import LoadedRun
from nqbench.measure.run_judge import RunJudge, certifier
from nqbench.measure.timing import PhaseTime
from nqbench.measure.user_measures import measured
from nqbench.measure.warm_up import warm_up
from nqbench.measure.wire import Busy, Closed, Log, Order, Prepare, Ready, Wire
from nqbench.measure.worker import SHOWN, WorkerReport, answer
from nqbench.plugins import from_file, loading
from nqbench.plugins.availability import why_unavailable
from nqbench.plugins.component import Component
from nqbench.problems.families.base import Family
from nqbench.problems.instances import instance_size
from nqbench.problems.options import variables
from nqbench.records.record import Record, Run

C = TypeVar("C", bound=Component)

_PREPARE_S = 60.0
"""Time limit for preparing a component that works in a separate process."""


class Server:
    """Executes runs, and keeps loaded components and instances between them."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._caller = self._at_once = Isolation(wire.fileno(), self._tell)
        self._has_told = False
        self._unavailable: dict[str, str] = {}
        self._pinned: list[int] = []
        self._machine = self._environment_id = ""
        self._builds: dict[str, str | None] = {}
        self._pages: defaultdict[str, Pages] = defaultdict(Pages)

    def serve(self) -> None:
        """Receive runs and send their records until the socket is closed."""
        self._prepare(self._wire.receive(Prepare))
        while True:
            run = self._wire.receive(Order).run
            self._has_told = False
            record, printed = self._record_run(run)
            processes.kill_children()
            if run.measures and printed is not None:
                record = self._with_measures(record, run.measures, printed)
            if run.keeps_log and printed is not None:
                self._wire.send(Log(pack_log(printed)))
            message = printable(record.message)
            self._wire.send(
                record if message == record.message else replace(record, message=message)
            )

    def _record_run(self, run: Run) -> tuple[Record, bytes | None]:
        """The record of the run, and what it printed. It counts as crashed if the code of a plugin
        raises what it should not.
        """
        try:
            return self._execute(run)
        except (Abandoned, Closed, ExecutorError, OSError):
            raise
        except Exception as error:
            message = f"while judging: {type(error).__name__}: {error}"
            return replace(Record.of(run, self._environment_id), message=message), None

    def _with_measures(self, record: Record, measures: Sequence[str], printed: bytes) -> Record:
        values, flaws = measured(measures, printed, self._caller)
        return replace(
            record,
            measures=values,
            message="; ".join(filter(None, [record.message, *flaws])),
        )

    def _tell(self, doing: str, limit_s: float) -> None:
        """Send the owner what the server does now, and how long it may take."""
        self._has_told = True
        self._wire.send(Busy(doing, limit_s))

    def _prepare(self, prepare: Prepare) -> None:
        if prepare.turn:
            turn = os.open(prepare.turn, os.O_RDWR | os.O_CLOEXEC)
            self._caller = replace(self._caller, turn=turn)
        self._cache = InstanceCache(prepare.cache_bytes, self._caller, self._at_once)
        checking = prepare.checking
        evidence = certifier(self._caller, checking.proofs)
        self._judge = RunJudge(self._caller, evidence, self._cache, checking.when)
        self._pinned = prepare.cpus
        from_file.admit(prepare.files)
        loading.encoding_names()  # which looks through what is installed, once for all probes
        self._encodings = self._load_working(prepare.encodings, Encoding.named)
        self._backends = self._load_working(prepare.backends, Backend.named)
        # As after each run: no run is measured beside what a backend has started here.
        processes.kill_children()
        warm_up()
        formulas = (not Family.named(name).problem.has_rules for name in prepare.families)
        if any(formulas) and any(encoding.rewrites for encoding in self._encodings.values()):
            importlib.import_module("nqbench.clauses.rewriting.rewrite")
        # Hardly an object that exists now will ever be garbage. The collector does not visit frozen
        # objects, so their pages stay shared with the workers.
        gc.freeze()
        gc.enable()
        close_holes()
        components: list[Component] = [*self._encodings.values(), *self._backends.values()]
        built = {name: backend.builds for name, backend in self._backends.items() if backend.builds}
        self._builds = {name: builds.described(files) for name, files in built.items()}
        current = environment.current(
            (name for component in components for name in component.distributions),
            built | {"nqbench": installation.builds()},
            source_files.of_runs(prepare.families, self._encodings, self._backends),
        )
        self._machine, self._environment_id = current.machine, current.id
        # Only now: the environment above has to describe the machine, not one pinned process.
        if prepare.cpus:
            os.sched_setaffinity(0, prepare.cpus)
        versions = {component.name: component.version for component in components}
        self._wire.send(Ready(current, versions, self._unavailable))

    def _load_working(self, names: list[str], load: Callable[[str], C]) -> dict[str, C]:
        working = {}
        for name in names:
            if reason := why_unavailable(load, name, self._at_once):
                self._unavailable[name] = reason
                continue
            self._tell(f"preparing {name}", _PREPARE_S)
            component = load(name)
            try:
                component.prepare()
            except Exception as error:
                self._unavailable[name] = f"it cannot be prepared: {error}"
            else:
                working[name] = component
        return working

    def _execute(self, run: Run) -> tuple[Record, bytes | None]:
        """Return the record of the run, and what it printed, if it was started."""
        record = Record.of(run, self._environment_id, self._machine, cpu_list(self._pinned))
        for name in (run.encoding, run.backend):
            if name in self._unavailable:
                why = self._unavailable[name]
                return replace(record, outcome=Outcome.UNAVAILABLE, message=why), None
        if another := self._why_another_build(run):
            return replace(record, outcome=Outcome.UNAVAILABLE, message=another), None
        loaded_run = LoadedRun.of(run, self._encodings[run.encoding], self._backends[run.backend])
        encoding, backend = loaded_run.encoding, loaded_run.backend
        encoded = self._cache.get(run.problem, encoding, run.limits)
        if not isinstance(encoded, Encoded):
            return replace(record, **_of_failed_encoding(encoded)), None
        if flaw := self._judge.why_not_asked(run.problem, run.limits):
            fields = _of_instance(encoded) | {"outcome": Outcome.INVALID, "message": flaw}
            return replace(record, **fields), None
        if run.problem.needs_assumptions:
            self._tell(f"reading {run.problem}", run.limits.longest_s)
        asking = asking_of(run.problem)
        # The owner expects this step first, so skip the message, which takes 0.1 ms.
        caller = (
            self._caller
            if self._has_told
            else Isolation(self._wire.fileno(), turn=self._caller.turn)
        )
        phases = Phases(SHOWN, _cap(run, encoded))
        incumbents = incumbents_of(run, encoded.instance)
        ending = caller.call(
            f"running {combination(run.encoding, run.backend)}",
            lambda: answer(
                run,
                encoding,
                backend,
                encoded.instance,
                encoded.lazy,
                phases=phases,
                incumbents=incumbents,
                asking=asking,
            ),
            _limits(run),
            [asking.descriptor] if asking else (),
            pages=self._pages[run.backend],
            phases=phases,
        )
        if incumbents and (impossible := flaw_of_points(incumbents, ending.wall_s)):
            message = f"its worker showed {impossible}"
            ending = replace(ending, outcome=Outcome.CRASHED, message=message)
        fields = self._judge_answer(run, loaded_run, encoded, ending, asking)
        fields |= _of_stop(run, encoded, ending, fields["message"])
        if incumbents and fields["outcome"] in _HAVE_INCUMBENTS:
            fields |= self._judge_incumbents(loaded_run, encoded, incumbents, fields)
        if left_cpus := validation.left_pin(self._pinned, ending):
            fields["cpus"] = LEFT + record.cpus
            fields["message"] = "; ".join(filter(None, [fields["message"], left_cpus]))
        if asking:
            return replace(record, **fields | asking.fields()), _log_of(run, asking, ending)
        return replace(record, **fields), ending.printed

    def _why_another_build(self, run: Run) -> str | None:
        """Why the machine code here is not that of the plan, in words; None if it is."""
        build = self._builds.get(run.backend)
        if build == run.backend_build:
            return None
        planned = run.backend_build or "none"
        return f"the build of {run.backend} is {build or 'none'}, but {planned} when it was planned"

    def _judge_answer(
        self,
        run: Run,
        loaded_run: LoadedRun,
        encoded: Encoded,
        ending: Ending,
        asking: Asking | None,
    ) -> "Fields":
        fields = _of_instance(encoded)
        report = validation.admitted(run, ending) if ending.outcome is Outcome.FINISHED else ending
        verifying = PhaseTime()
        if isinstance(report, Ending):
            fields |= _of_ending(report)
            if asking and report.outcome is not Outcome.INVALID:  # what it had answered is judged
                check = self._judge.check_asked(asking, None, run.limits)
                fields["message"] = "; ".join(filter(None, [report.message, check.message]))
            return fields
        with verifying:
            check = (
                self._judge.check_asked(asking, report.answer, run.limits)
                if asking
                else self._judge.check(loaded_run, report)
            )
        fields |= _of_ending(ending) | _of_report(run, report) | _of_check(check, verifying)
        open_time = validation.what_phases_leave_open(run, report, ending)
        messages = [check.message, report.note, open_time, encoded.note]
        fields["message"] = "; ".join(filter(None, messages))
        if report.answer is Answer.UNKNOWN and run.limits.work:
            fields["outcome"] = Outcome.WORK_LIMIT
        return fields

    def _judge_incumbents(
        self, run: LoadedRun, encoded: Encoded, incumbents: Incumbents, fields: "Fields"
    ) -> "Fields":
        """What the record says of the models that a solver found before it ended. Where it did not
        end with an answer, the best of them is judged.
        """
        answer_given = fields.get("answer")
        solve_s = fields.get("solve_s") or fields.get("solve_at_least_s") or 0.0
        best = report_of_last(incumbents, encoded.instance)
        if answer_given in (Answer.SAT, Answer.UNSAT) or best is None:
            value, is_claimed = fields.get("objective"), answer_given is Answer.SAT
            return fields_of_best(incumbents, value, solve_s, is_claimed=is_claimed)
        check = self._judge.check_incumbent(run, best)
        judged = _of_objective(check)
        if check.objective is None:
            judged.pop("queens", None)
        messages = [fields["message"], check.message]
        judged["message"] = "; ".join(filter(None, messages))
        return judged | fields_of_best(incumbents, check.objective, solve_s)


Fields = dict[str, Any]
"""Fields of a `Record`, collected before one copy is made: copying a record is slow."""


def _of_instance(encoded: Encoded) -> Fields:
    fields: Fields = msgspec.to_builtins(instance_size(encoded.instance))
    row_length, row_k = encoded.row or (None, None)
    fields |= {"row_length": row_length, "row_k": row_k}
    fields |= {"instance_digest": encoded.digest, "clauses_digest": encoded.clauses_digest}
    return fields | _of_phase("encode", encoded.spent)


def _of_failed_encoding(ending: Ending) -> Fields:
    fields = _of_ending(ending)
    fields |= {"encode_s": fields.pop("wall_s"), "encode_cpu_s": fields.pop("cpu_s")}
    if ending.outcome is not Outcome.INVALID:
        fields["message"] = f"{WHILE_ENCODING}{ending.message}"
    return fields


def _cap(run: Run, encoded: Encoded) -> Cap | None:
    """The cap of a race on a time that is the sum of phases."""
    if run.cap_s is None or run.cap_of not in metrics.PHASES:
        return None
    before_s = encoded.spent.wall_s if run.cap_of == "total_s" else 0.0
    return Cap(metrics.PHASES[run.cap_of], run.cap_s - before_s, run.besides_s)


def _limits(run: Run) -> Limits:
    """The limits of the run, with the cap of a race on a time of the whole process if that is
    nearer.
    """
    if run.cap_s is not None and run.cap_of == "wall_s":
        return replace(run.limits, time_s=min(run.cap_s, run.limits.time_s))
    if run.cap_s is not None and run.cap_of == "cpu_s":
        return replace(run.limits, cpu_s=min(run.cap_s, run.limits.cpu_s or math.inf))
    return run.limits


def _log_of(run: Run, asking: Asking, ending: Ending) -> bytes:
    """What was measured of each question, and below it what was printed, if that is kept."""
    log = Printed()
    log.add(asking.log())
    log.add(ending.printed if run.keep_output else b"")
    asking.close()
    return log.content()


_STOPPED: Final = (Outcome.TIMEOUT, Outcome.MEMOUT, Outcome.CAPPED)
_HAVE_INCUMBENTS: Final = (*_STOPPED, Outcome.FINISHED, Outcome.WORK_LIMIT)


def _of_stop(run: Run, encoded: Encoded, ending: Ending, said: str) -> Fields:
    """What the record of a run says that was stopped at a limit or by a race. `said` is what it
    says so far: how the run ended, and what was found in its answers.
    """
    if ending.outcome not in _STOPPED:
        return {}
    progress = validation.admitted_progress(run, ending)
    if isinstance(progress, Ending):
        return _of_ending(progress)
    fields: Fields = {f"{name}_at_least_s": spent for name, spent in progress.spent_s.items()}
    fields["stopped_in"] = progress.running or Phase.OTHER
    if run.cap_s is None or not (ending.outcome is Outcome.CAPPED or _is_capped(run, ending)):
        return fields
    at = f"{run.cap_s:.3g} s of {metrics.noun(run.cap_of)}"
    if (cap := _cap(run, encoded)) and progress.of(cap.of) < cap.most_s:
        at = f"{run.besides_s:.3g} s besides {metrics.noun(run.cap_of)}"
    found = said.removeprefix(ending.message).removeprefix("; ")
    message = "; ".join(filter(None, [f"stopped by a race at {at}", found]))
    return fields | {"outcome": Outcome.CAPPED, "cap_s": run.cap_s, "message": message}


def _is_capped(run: Run, ending: Ending) -> bool:
    """Whether what looks like a limit was the cap of a race. It was not the other limit, if that
    would have taken longer than the cap.
    """
    if run.cap_s is None or ending.outcome is not Outcome.TIMEOUT:
        return False
    if run.cap_of == "wall_s":
        return run.cap_s <= ending.wall_s and run.cap_s < run.limits.time_s
    is_nearer = run.cap_s < (run.limits.cpu_s or math.inf) and ending.wall_s < run.limits.time_s
    return run.cap_of == "cpu_s" and run.cap_s <= ending.cpu_s and is_nearer


_MOST_KEPT: Final = 100_000
"""The largest number of true variables of a model that a record keeps."""

_FROM_ENDING = (
    "outcome", "message", "wall_s", "cpu_s", "peak_rss_bytes", "exit_status", "signal",
)  # fmt: skip
"""The fields of a record that have the same names and values in an ending."""


def _of_ending(ending: Ending) -> Fields:
    return {name: getattr(ending, name) for name in _FROM_ENDING}


def _of_phase(name: str, spent: PhaseTime) -> Fields:
    return {f"{name}_s": spent.wall_s, f"{name}_cpu_s": spent.cpu_s}


def _of_report(run: Run, report: WorkerReport) -> Fields:
    has_solution = run.problem.has_rules and report.answer is Answer.SAT
    fields: Fields = msgspec.to_builtins(report.counters) | report.counts
    for name in ("load", "solve", "decode"):
        fields |= _of_phase(name, getattr(report, name))
    return fields | {
        "answer": report.answer,
        "queens": variables(run.problem.options, report.solution) if has_solution else None,
        "solutions": len(report.all_solutions) if run.task is Task.ALL else None,
        "best_k": report.best_k,
        "rejected_models": report.rejected,
        "loading": report.loading,
    }


def _of_check(check: Check, spent: PhaseTime) -> Fields:
    verdict: Fields = {"verdict": check.verdict, "checked_by": check.checked_by}
    return verdict | _of_objective(check) | _of_phase("verify", spent)


def _of_objective(check: Check) -> Fields:
    value = check.objective
    is_large = value is not None and abs(value) > LARGEST_INTEGER
    fields: Fields = {"objective": None if is_large else value}
    fields["objective_text"] = str(value) if is_large else None
    if check.true_variables is not None and len(check.true_variables) <= _MOST_KEPT:
        fields["queens"] = list(check.true_variables)
    return fields


def main(descriptor: int) -> None:
    """Serve the socket with this descriptor until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # From here on, the socket says when the owner has ended, and the run in progress is killed.
    guard.note_owner()
    processes.outlive_parent()
    processes.adopt_orphans()
    wire = Wire(socket.socket(fileno=descriptor))
    try:
        Server(wire).serve()
    except (Closed, Abandoned):
        processes.kill_children()
        os._exit(0)  # nothing is left to do, and taking the interpreter down takes 50 ms
    except (ExecutorError, OSError) as error:  # too many open files, or no memory for a process
        sys.exit(f"nqbench: a fork server cannot continue: {error}")
