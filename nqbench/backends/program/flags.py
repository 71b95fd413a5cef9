"""How each program takes a seed, a phase, a number of threads, an option, and a limit of work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nqbench.backends.base import PHASE
from nqbench.common.placeholders import fill
from nqbench.plugins.parameters import Parameter, Values, Whole, options

_LARGEST_SEED: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Flags:
    """The arguments of one program, with `{}` for the value.

    `phase` has the arguments for false and true. `option` is for any other option, whose name
    replaces `NAME`; a program without it takes none. With `has_switches`, `-NAME` and `-no-NAME`
    are true and false. `limits` is by counter.
    """

    seed: str = ""
    default_seed: int = 0
    varies_with_seed: bool = True
    phase: tuple[str, str] | None = None
    threads: str = ""
    option: str = ""
    has_switches: bool = False
    limits: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters that may follow the name of the program."""
        by_name: dict[str, Parameter] = {}
        if self.threads:
            by_name["threads"] = Whole(default=1, least=1)
        if self.seed:
            by_name["seed"] = Whole(self.default_seed, least=0, most=_LARGEST_SEED)
        if self.phase:
            by_name["phase"] = PHASE
        return by_name

    def words(self, values: Values, phase: bool | None) -> list[str]:
        """The arguments for these values; those with their default are left out."""
        words = []
        if values.get("threads", 1) != 1:
            words.append(self.threads.format(values["threads"]))
        if values.get("seed", self.default_seed) != self.default_seed:
            words.append(self.seed.format(values["seed"]))
        if self.phase and phase is not None:
            words.append(self.phase[phase])
        own = [part for word in words for part in word.split()]
        # An option is one argument, whatever its value.
        return own + [self._option(name, value) for name, value in options(values).items()]

    def _option(self, name: str, value: object) -> str:
        if self.has_switches and isinstance(value, bool):
            return f"-{name}" if value else f"-no-{name}"
        return fill(self.option, {"NAME": name, "{}": str(value).lower()})


_LONG: Final = "--NAME={}"

FLAGS: Final = {
    "cadical": Flags(
        seed="--seed={}",
        varies_with_seed=False,
        phase=("--phase=0", "--phase=1"),
        option=_LONG,
        limits={"conflicts": "-c {}"},
    ),
    "clasp": Flags(
        seed="--seed={}",
        default_seed=1,
        phase=("--sign-def=neg", "--sign-def=pos"),
        threads="--parallel-mode={}",
        option=_LONG,
        limits={"conflicts": "--solve-limit={}"},
    ),
    "cryptominisat5": Flags(
        phase=("--polar=false", "--polar=true"),
        threads="--threads={}",
        option=_LONG,
        limits={"conflicts": "--maxconfl={}"},
    ),
    "glucose": Flags(option="-NAME={}", has_switches=True),
    "kissat": Flags(
        seed="--seed={}",
        varies_with_seed=False,
        phase=("--phase=0", "--phase=1"),
        option=_LONG,
        limits={"conflicts": "--conflicts={}"},
    ),
    "minisat": Flags(option="-NAME={}", has_switches=True),
    "picosat": Flags(
        seed="-s {}",
        phase=("-i 0", "-i 1"),
        limits={"propagations": "-P {}"},
    ),
}
"""By the name of the program."""
