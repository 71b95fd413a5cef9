"""Which runs of a bundle are measured again here, and why others are not."""

import random
import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from nqbench.addons.bundle.reading import Bundle
from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.campaign.combinations import Planned
from nqbench.campaign.execution import Execution
from nqbench.common.errors import InputError
from nqbench.common.machine import builds as machine_builds
from nqbench.common.machine import environment
from nqbench.common.machine.environment import Environment
from nqbench.common.printable import printable
from nqbench.common.spelling import ComponentName
from nqbench.encodings.base import Encoding
from nqbench.measure import source_files
from nqbench.plugins.availability import why_unavailable
from nqbench.plugins.component import Component
from nqbench.records.record import Run


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs to do here, by the ids of the bundle's records, and the ids of the records that are
    left out, by the reason. `others` says which backends are of another version here, and `builds`
    which are of the same version but compiled otherwise; both say how, by the backend. `carried`
    are the ids of the runs of which the bundle has only the records.
    """

    runs: Mapping[str, Run]
    left_out: Mapping[str, Sequence[str]]
    others: Mapping[str, str]
    builds: Mapping[str, str]
    carried: Collection[str] = ()

    @property
    def not_measured(self) -> dict[str, Sequence[str]]:
        """The part of `left_out` that the bundle promises to repeat: without the runs whose problem
        it lacks, which it only records.
        """
        return {
            why: ids
            for why, run_ids in self.left_out.items()
            if (ids := [*_without(run_ids, self.carried)])
        }


def _without(ids: Sequence[str], excluded: Collection[str]) -> Iterator[str]:
    return (run_id for run_id in ids if run_id not in excluded)


@dataclass(frozen=True, slots=True)
class Trust:
    """What the user allows: programs and options that only the bundle names, or `ask` about them;
    and solvers of another version.
    """

    programs: Collection[str] = ()
    other_solvers: bool = False
    ask: permission.Ask | None = field(default=None, compare=False)


def sampled(run_ids: Collection[str], sample: str | int | None, seed: int) -> list[str]:
    """All of these runs, or a random sample: a number of them, or a share such as '10%'. The order
    is random, too. Raises `InputError` for another text.
    """
    number = len(run_ids)
    if sample is not None:
        text = str(sample).strip()
        share = re.fullmatch(r"(\d{1,3}(?:\.\d{1,6})?)\s*%", text)
        if share and 0 < float(share[1]) <= 100:
            number = max(1, round(number * float(share[1]) / 100))
        elif re.fullmatch(r"\d{1,9}", text) and int(text):
            number = min(number, int(text))
        else:
            raise InputError(f"sample is '{printable(text)}': write for instance 20 or 10%")
    return random.Random(seed).sample(sorted(run_ids), number)


def plan(bundle: Bundle, run_ids: Sequence[str], execution: Execution, trust: Trust) -> Plan:
    """Plan these runs of a bundle. A run whose solver is missing here is left out, and one whose
    solver has another version as well, unless the user trusts it.
    """
    runs_of = [bundle.runs[run_id] for run_id in run_ids]
    component_names = sorted({name for run in runs_of for name in run.components})
    allowed = permission.granted(component_names, trust.programs, str(bundle.path), trust.ask)
    environment_of = dict(bundle.records.select("run_id", "environment_id").iter_rows())
    plugins = {key for measured_in in bundle.environments.values() for key in measured_in.sources}
    components, machine, harness = _Found(allowed), environment.machine(), environment.harness()
    runs: dict[str, Run] = {}
    carried = _only_records(bundle)
    left_out = defaultdict(list, {_ONLY_RECORDS: carried} if carried else {})
    for line in bundle.unknown:
        why = components.refused(line.family)
        why = why or _with_plugin(line.why, "family", line.family, plugins)
        left_out[why] += line.runs
    other_versions: dict[str, str] = {}
    builds: dict[str, str] = {}
    for run_id in run_ids:
        run = bundle.runs[run_id]
        if refused := components.refused(run.problem.family):
            left_out[refused].append(run_id)
            continue
        encoding, solver = components.encoding(run.encoding), components.backend(run.backend)
        missing = solver if isinstance(solver, str) else encoding
        if isinstance(missing, str):
            kind, name = (
                ("backend", run.backend) if missing is solver else ("encoding", run.encoding)
            )
            left_out[_with_plugin(missing, kind, name, plugins)].append(run_id)
            continue
        assert isinstance(solver, Planned)
        if other := _difference(run, solver, bundle.environments.get(environment_of[run_id])):
            if not trust.other_solvers:
                left_out[f"{other}; to measure it, add `allow_other_solvers=True`"].append(run_id)
                continue
            other_versions[run.backend] = other
        elif not machine_builds.are_same(run.backend_build, solver.build):
            builds[run.backend] = (
                f"{run.backend} is another build here: {solver.build}, and was {run.backend_build}"
            )
        runs[run_id] = replace(
            run,
            encoding_version=missing.version,
            backend_version=solver.version,
            backend_build=solver.build,
            machine=machine,
            harness=harness,
            cores=execution.cores,
        )
    return Plan(runs, dict(left_out), other_versions, builds, frozenset(carried))


_ONLY_RECORDS: Final = "the bundle has only their records, and its README says why"


def _only_records(bundle: Bundle) -> list[str]:
    """The ids of the records whose problem the bundle lacks."""
    with_problem = bundle.runs.keys() | {run_id for line in bundle.unknown for run_id in line.runs}
    return sorted(set(bundle.records["run_id"]) - with_problem)


def _with_plugin(why: str, kind: str, name: str, plugins: set[str]) -> str:
    """Why something is missing here, and what to do if it is a plugin."""
    if plugins.isdisjoint(source_files.keys(kind, name)) or ComponentName.parse(name).files:
        return why
    return f"{why}; this {kind} is a plugin: the README of the bundle says how to install it"


class _Found:
    """Encodings and backends as they are here, each looked up once; in place of one that cannot be
    used, the reason.
    """

    def __init__(self, allowed: Collection[str]) -> None:
        self._allowed = allowed
        self.refused = cache(self._refused)
        self.encoding = cache(lambda name: self._permitted(Encoding.named, name))
        self.backend = cache(lambda name: self._permitted(Backend.named, name))

    def _permitted(self, load: Callable[[str], Component], name: str) -> Planned | str:
        return self.refused(name) or _looked_up(load, name)

    def _refused(self, name: str) -> str:
        """Why a component may not be used; empty if it may."""
        if permission.need_permission([name], self._allowed):
            allow = f"`allow_programs={shlex.quote(name)}`"
            return f"only the bundle names {name}: if you trust it, add {allow}"
        return ""


def _looked_up(load: Callable[[str], Component], name: str) -> Planned | str:
    try:
        planned = Planned.load(load, name)
    except InputError as error:
        return str(error)
    reason = why_unavailable(load, name)
    return planned if reason is None else f"{name}: {reason}"


def _difference(run: Run, solver: Planned, measured_in: Environment | None) -> str | None:
    """How the version of the solver here differs from that of a run, or the files of a plugin, in
    words; None if they do not.
    """
    if run.backend_version != solver.version:
        return f"{run.backend} is {solver.version} here, and was {run.backend_version}"
    key = source_files.key("backend", run.backend)
    if measured_in and (files := measured_in.sources.get(key)):
        today = source_files.of_runs((), (), [run.backend]).get(key)
        if today != files:
            return f"{run.backend} has other files here, although its version is the same"
    return None
