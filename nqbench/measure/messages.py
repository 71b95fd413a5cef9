"""What a slot and its fork server tell each other first; after that, runs and records."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from nqbench.formula import ENCODING
from nqbench.machine.environment import Environment
from nqbench.record import Run


@dataclass(frozen=True, slots=True)
class Prepare:
    """The first message to a server: what it will be asked to run, the processors that it and its
    workers are pinned to, if any, and how many bytes its instances may fill.
    """

    encodings: list[str]
    backends: list[str]
    cpus: list[int] = field(default_factory=list)
    cache_bytes: int = 0

    @classmethod
    def of(cls, runs: Iterable[Run]) -> "Prepare":
        """What these runs need."""
        pairs = {(run.encoding, run.backend) for run in runs}
        encodings = {encoding for encoding, _ in pairs} - {ENCODING}
        return cls(sorted(encodings), sorted({backend for _, backend in pairs}))


@dataclass(frozen=True, slots=True)
class Ready:
    """The first message from a server: where it runs, the versions of the solvers and encoders
    there, and what does not work there and why.
    """

    environment: Environment
    versions: dict[str, str | None]
    unavailable: dict[str, str]
