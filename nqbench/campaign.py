"""The plan of a campaign: every run of its grid, in a shuffled order."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from nqbench import environment
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
        one n. Raises `InputError` if there is no such encoding, backend or family, and
        `UnavailableError` if a plugin cannot be loaded.
        """
        problems = [Problem(n, self.family) for n in self.sizes]
        encodings = [load_encoding(name) for name in self.encodings]
        backends = [load_backend(name) for name in self.backends]
        here = environment.current()
        runs = [
            Run(
                problem=problem,
                encoding=encoding.name,
                encoding_version=encoding.version,
                backend=backend.name,
                backend_version=backend.version,
                limits=self.limits,
                seed=self.seed,
                repeat=repeat,
                machine=here.machine,
                harness=here.harness,
            )
            for problem in problems
            for encoding in encodings
            for backend in backends
            for repeat in range(self.repeat)
        ]
        random.Random(self.seed).shuffle(runs)
        return runs
