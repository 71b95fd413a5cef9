"""What is installed, what works, and what would make timings unreliable."""

import base64
import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Final

import msgspec

from nqbench import isolate
from nqbench.backends import direct
from nqbench.backends.base import Backend
from nqbench.backends.permission import complete_backend_names
from nqbench.common.errors import UnavailableError
from nqbench.common.limits import PatientLimits
from nqbench.common.machine import environment, installation
from nqbench.common.machine.cpus import physical_cores, quota
from nqbench.common.machine.environment import BUSY_SHARE, Conditions
from nqbench.common.machine.event_counter import INSTRUCTIONS, why_uncounted
from nqbench.common.vocabulary import Loading
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.isolate import scratch
from nqbench.isolate.cgroup import MemoryGroup
from nqbench.plugins import install
from nqbench.plugins.availability import why_each_unavailable
from nqbench.plugins.component import Component

_TRIED: Final = PatientLimits(Component.probe_s)
_PYTHON: Final = "Programming Language :: Python :: "


class Level(StrEnum):
    """Whether a finding is good or needs attention."""

    GOOD = "good"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One subject that was examined, and the finding in one line."""

    level: Level
    subject: str
    message: str


def examine(
    backends: Iterable[str] = (), begin: Callable[[str], object] = lambda _: None
) -> Iterator[Finding]:
    """Yield all findings. `backends` are further backends to examine, such as `exe:/opt/solver`.
    `begin` is called with the name of each component before it is tried.

    Raises `InputError` for an unknown backend.
    """
    further = [Backend.named(name).name for name in backends]
    current = environment.current()
    yield Finding(Level.GOOD, "harness", current.harness)
    yield _python()
    yield Finding(
        Level.GOOD, "machine", f"{current.machine}, {current.memory_bytes / 2**30:.0f} GiB"
    )
    backends_here = why_each_unavailable(Backend, [*complete_backend_names(), *further], begin)
    yield from _components(
        {
            Encoding: why_each_unavailable(Encoding, complete_encoding_names(), begin),
            Backend: backends_here,
        }
    )
    yield _loading([name for name, reason in backends_here.items() if reason is None])
    yield _proof_checker()
    yield from _timing(current.cpu_count)
    for path in scratch.left():
        yield Finding(Level.WARNING, "left behind", f"{path} cannot be removed: remove it by hand")


def _python() -> Finding:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    classifiers = metadata.metadata("nqbench").get_all("Classifier") or []
    tested_versions = [
        classifier.rpartition(" :: ")[2] for classifier in classifiers if _PYTHON in classifier
    ]
    range_tested = (
        f"nqbench is tested on {tested_versions[0]} to {tested_versions[-1]}"
        if tested_versions
        else "not stated"
    )
    good = version in tested_versions
    return Finding(Level.GOOD if good else Level.WARNING, "python", f"{version}; {range_tested}")


def _components(found: Mapping[type[Component], Mapping[str, str | None]]) -> Iterator[Finding]:
    """Why the encodings and the backends do not work that do not."""
    for kind, reasons in found.items():
        working = [name for name, reason in reasons.items() if reason is None]
        message = f"{len(working)} of {len(reasons)} work here"
        yield Finding(Level.GOOD, f"{kind.__name__.lower()}s", message)
        for name, reason in reasons.items():
            if reason is not None:
                yield Finding(Level.WARNING, name, reason)
        components = map(kind.named, working)
        for module in sorted({m for each in components for m in _replaced_modules(each)}):
            yield Finding(Level.WARNING, module, "not the file that its distribution installed")


def _replaced_modules(component: Component) -> Iterator[str]:
    """Yield compiled modules that another distribution has overwritten, as pyganak does to
    pycryptosat: the version then does not describe what is measured.
    """
    try:
        files = metadata.files(component.distribution) or ()
    except metadata.PackageNotFoundError:
        return
    recorded = {Path(str(file.locate())).resolve(): file.hash for file in files}
    for module in component.modules:
        spec = importlib.util.find_spec(module)
        path = Path(spec.origin).resolve() if spec and spec.origin else None
        if path is None or path.suffix != ".so":
            continue
        expected = recorded.get(path)
        if expected is None or expected.value != _hash(path, expected.mode):
            yield f"{module} of {component.distribution}"


def _hash(path: Path, algorithm: str) -> str:
    """The hash as in a RECORD file: URL-safe base64 without padding."""
    digest = hashlib.new(algorithm, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _loading(working: list[str]) -> Finding:
    """How clauses are loaded into those of these backends that can take them from memory."""
    if shadowed := installation.why_shadowed():
        return Finding(Level.WARNING, "loading", f"through bindings, slower: {shadowed}")
    if not direct.is_built():
        message = "through bindings, slower; install nqbench again where there is a C compiler"
        return Finding(Level.WARNING, "loading", message)
    choosing = [name for name in working if "loading" in Backend.named(name).parameters]
    by = _loads_by(choosing) or {
        n: way for name in choosing for n, way in _loads_by([name]).items()
    }
    if slow := [name for name, loading in by.items() if loading == Loading.BINDING]:
        message = f"through bindings, slower, since a self-test failed: {', '.join(slow)}"
        return Finding(Level.WARNING, "loading", message)
    loading_directly = sum(loading == Loading.DIRECT for loading in by.values())
    return Finding(Level.GOOD, "loading", f"{loading_directly} backends take clauses from memory")


def _loads_by(names: list[str]) -> dict[str, str]:
    """How each of these backends is loaded; nothing if one of them ends the process."""

    def find_loading() -> bytes:
        backends = map(Backend.named, names)
        return msgspec.json.encode({b.name: b.load(b.smallest()).loading for b in backends})

    payload = isolate.call(find_loading, _TRIED).payload
    return msgspec.json.decode(payload or b"{}", type=dict[str, str])


def _proof_checker() -> Finding:
    from nqbench.checking import by_dratify, proof

    if proof.is_built():
        return Finding(Level.GOOD, "proofs", "checked by the core; short ones twice")
    if by_dratify.is_native():
        message = "checked by dratify, up to 64 MiB"
    else:
        message = (
            "checked by dratify in Python, slowly and up to 64 MiB; "
            f"try: {install.command('nqbench[proof]')}"
        )
    compiler = "to check longer ones faster, install nqbench where there is a C compiler"
    return Finding(Level.WARNING, "proofs", f"{message}; {compiler}")


def _timing(cpu_count: int) -> Iterator[Finding]:
    conditions = Conditions.now()
    yield _load(conditions, cpu_count)
    yield _frequency(conditions)
    message = f"{conditions.swapped_bytes / 2**20:.0f} MiB swapped out"
    yield Finding(Level.WARNING if conditions.swapped_bytes else Level.GOOD, "swap", message)
    cores = len(physical_cores())
    yield Finding(Level.GOOD, "cores", f"{cores} physical cores, to pin one job to each")
    yield _memory_limits()
    yield _instructions()
    if (allowed := quota()) is not None:
        message = f"the container may use {allowed:.1f} CPUs and is stopped when it uses more"
        yield Finding(Level.WARNING, "quota", message)
    if _is_virtual():
        yield Finding(Level.WARNING, "virtual", "a virtual machine shares its CPUs with others")


def _load(conditions: Conditions, cpu_count: int) -> Finding:
    busy = conditions.load_1m / cpu_count > BUSY_SHARE
    message = f"{conditions.load_1m:.1f} processes on {cpu_count} CPUs over the last minute"
    return Finding(Level.WARNING if busy else Level.GOOD, "load", message)


def _frequency(conditions: Conditions) -> Finding:
    if conditions.governor is None:
        return Finding(Level.WARNING, "frequency", "not visible here: the CPU may change its speed")
    if conditions.governor == "performance":
        return Finding(Level.GOOD, "frequency", "governor performance")
    message = f"governor {conditions.governor}: the CPU changes its speed"
    return Finding(Level.WARNING, "frequency", message)


def _memory_limits() -> Finding:
    try:
        MemoryGroup.create(2**30).remove()
    except UnavailableError as error:
        return Finding(Level.GOOD, "memory limits", f"by address space ({error})")
    return Finding(Level.GOOD, "memory limits", "by address space or by control group")


def _instructions() -> Finding:
    if why := why_uncounted(INSTRUCTIONS):
        return Finding(Level.WARNING, "instructions", f"not counted: {why}")
    return Finding(Level.GOOD, "instructions", "counted in each run")


def _is_virtual() -> bool:
    facts = Path("/proc/cpuinfo").read_text()
    return re.search(r"^flags\b.*\bhypervisor\b", facts, re.MULTILINE) is not None
