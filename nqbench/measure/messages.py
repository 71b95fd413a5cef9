"""The messages between a slot and its fork server, besides records."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Final

import msgspec

from nqbench.common.component_name import ComponentName
from nqbench.common.limits import Checking, Limits
from nqbench.common.machine.environment import Environment
from nqbench.common.vocabulary import Task
from nqbench.plugins import from_file
from nqbench.plugins.from_file import Carried
from nqbench.problems.families.base import Family
from nqbench.records.record import Run
from nqbench.records.runs import Runs


@dataclass(frozen=True, slots=True)
class Prepare:
    """The first message to a server: the components of its runs, how their answers are checked, the
    CPUs to pin it and its workers to, if any, and the bytes that its instances may use; the
    families of the problems; the file by which servers take turns, if there is one; and the
    components that are from files, with these.
    """

    encodings: list[str]
    backends: list[str]
    checking: Checking = field(default_factory=Checking)
    cpus: list[int] = field(default_factory=list)
    cache_bytes: int = 0
    families: list[str] = field(default_factory=list)
    turn: str = ""
    files: list[Carried] = field(default_factory=list)

    @classmethod
    def of(cls, runs: Iterable[Run], checking: Checking | None = None) -> "Prepare":
        """The message for these runs."""
        used = {(run.encoding, run.backend, run.problem.family) for run in Runs.of(runs).kinds}
        encodings, backends, families = (sorted(set(names)) for names in zip(*used, strict=True))
        files = from_file.carried([*encodings, *backends, *families])
        return cls(encodings, backends, checking or Checking(), families=families, files=files)


@dataclass(frozen=True, slots=True)
class Ready:
    """The reply to `Prepare`: where the server runs, the versions of encodings and backends there,
    and which of them do not work there and why.
    """

    environment: Environment
    versions: dict[str, str | None]
    unavailable: dict[str, str]


@dataclass(frozen=True, slots=True)
class Order:
    """A run to do: the family of its problem, the fields of the problem, and the other fields of
    the run.
    """

    family: str
    problem: dict[str, Any]
    rest: dict[str, Any]

    @classmethod
    def of(cls, run: Run) -> "Order":
        """The message for this run."""
        values = {f.name: getattr(run, f.name) for f in fields(run) if f.name != "problem"}
        return cls(run.problem.family, _spell_large(msgspec.to_builtins(run.problem)), values)

    @property
    def run(self) -> Run:
        """The run to do. Raises `msgspec.ValidationError` or `InputError` if it is not one."""
        is_of_file = bool(ComponentName.parse(self.family).files)  # and may be edited later
        kind = Family.recorded(self.family).problem if is_of_file else _class(self.family)
        problem = msgspec.convert(_read_large(self.problem), kind)
        limits = msgspec.convert(self.rest["limits"], Limits)
        typed = {
            "problem": problem,
            "limits": limits,
            "task": Task(self.rest["task"]),
            "measures": tuple(self.rest["measures"]),
        }
        return Run(**self.rest | typed)


@dataclass(frozen=True, slots=True)
class Busy:
    """What the server does next, and the seconds within which it sends its next message."""

    doing: str
    limit_s: float


@dataclass(frozen=True, slots=True)
class Log:
    """What the run printed, compressed; sent before its record if the run asks for it."""

    content: bytes


_LARGE: Final = "\0integer "
"""What begins the text in place of an integer that MessagePack does not have."""


def _spell_large(value: Any) -> Any:
    """The value with text in place of integers beyond 64 bits, also in dictionaries within it."""
    if isinstance(value, dict):
        return {key: _spell_large(part) for key, part in value.items()}
    is_large = isinstance(value, int) and abs(value) >= 2**63
    return f"{_LARGE}{value}" if is_large else value


def _read_large(value: Any) -> Any:
    """The value that `_spell_large` has spelled."""
    if isinstance(value, dict):
        return {key: _read_large(part) for key, part in value.items()}
    is_large = isinstance(value, str) and value.startswith(_LARGE)
    return int(value.removeprefix(_LARGE)) if is_large else value


@cache
def _class(family: str) -> type[Any]:
    """The class of a family's problems. Loading a family takes 0.2 ms."""
    return Family.named(family).problem
