"""The plan of a campaign: every run of its grid, in a shuffled order."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from nqbench import environment
from nqbench.component import Component
from nqbench.errors import UnavailableError
from nqbench.limits import Limits
from nqbench.plugins import load_backend, load_encoding
from nqbench.problem import Problem
from nqbench.record import Run

DEFAULT_ENCODINGS: Final = ("pairwise", "alo-row", "pyeda-onehot")
DEFAULT_BACKENDS: Final = ("glucose4", "minisat22", "cryptominisat", "pyeda")


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What one command line asks for: every problem x encoding x backend, `repeat` times."""

    sizes: Sequence[int]
    family: str = "queens"
    encodings: Sequence[str] = DEFAULT_ENCODINGS
    backends: Sequence[str] = DEFAULT_BACKENDS
    repeat: int = 3
    limits: Limits = field(default_factory=Limits)
    seed: int = 0

    def runs(self) -> list[Run]:
        """Every run, in an order shuffled by the seed.

        Shuffled, so that a machine that slows down for a while does not slow down one solver or
        one n. A plugin that cannot be loaded is planned all the same, so that its runs are recorded
        as unavailable. Raises `InputError` if there is no such encoding, backend or family.
        """
        problems = [Problem(n, self.family) for n in self.sizes]
        encodings = [_identity(load_encoding, name) for name in self.encodings]
        backends = [_identity(load_backend, name) for name in self.backends]
        here = environment.current()
        runs = [
            Run(
                problem=problem,
                encoding=encoding,
                encoding_version=encoding_version,
                backend=backend,
                backend_version=backend_version,
                limits=self.limits,
                seed=self.seed,
                repeat=repeat,
                machine=here.machine,
                harness=here.harness,
            )
            for problem in problems
            for encoding, encoding_version in encodings
            for backend, backend_version in backends
            for repeat in range(self.repeat)
        ]
        random.Random(self.seed).shuffle(runs)
        return runs


def _identity(load: Callable[[str], Component], name: str) -> tuple[str, str | None]:
    """The canonical name and the version."""
    try:
        component = load(name)
    except UnavailableError:
        return name, None
    return component.name, component.version
