"""The parameters of programs, and the arguments that they become."""

from typing import Final

from nqbench.backends.base import PHASE
from nqbench.common.placeholders import fill
from nqbench.plugins.known_programs import Program
from nqbench.plugins.parameters import Parameter, Values, Whole, options

_LARGEST_SEED: Final = 2**31 - 1


def parameters(program: Program) -> dict[str, Parameter]:
    """The parameters that may follow the name of the program."""
    by_name: dict[str, Parameter] = {}
    if program.threads:
        by_name["threads"] = Whole(default=1, least=1)
    if program.seed:
        by_name["seed"] = Whole(program.default_seed, least=0, most=_LARGEST_SEED)
    if program.phase:
        by_name["phase"] = PHASE
    return by_name


def words(program: Program, values: Values, phase: bool | None) -> list[str]:
    """The arguments for these values; those with their default are left out."""
    usual = []
    if values.get("threads", 1) != 1:
        usual.append(program.threads.format(values["threads"]))
    if values.get("seed", program.default_seed) != program.default_seed:
        usual.append(program.seed.format(values["seed"]))
    if program.phase and phase is not None:
        usual.append(program.phase[phase])
    own = [part for word in usual for part in word.split()]
    # An option is one argument, whatever its value.
    return own + [_option(program, name, value) for name, value in options(values).items()]


def _option(program: Program, name: str, value: object) -> str:
    if program.has_switches and isinstance(value, bool):
        return f"-{name}" if value else f"-no-{name}"
    return fill(program.option, {"NAME": name, "{}": str(value).lower()})
