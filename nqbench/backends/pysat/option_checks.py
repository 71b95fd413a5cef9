"""Checks options of Ergo and Glucose 4.2 before PySAT gets them.

PySAT does not refuse a value that the solver rejects: it keeps the old one, or reads another value.
A record would then name a setting that was not in force.
"""

from collections.abc import Mapping
from typing import Final

from nqbench.backends import option_values
from nqbench.backends.option_values import Range, Words
from nqbench.common.errors import InputError

_SWITCH: Final = Words(("false", "true"))
_SHARE: Final = Range(0.0, 1.0)
_COUNT: Final = Range(0.0, 2.0**31 - 1)

_OPTIONS: Final[Mapping[str, Mapping[str, Words | Range]]] = {
    "ergo": {
        "emulate": Words(("m2.0", "m2.2", "g3", "g4.2")),
        "cla-decay": _SHARE,
        "var-decay": _SHARE,
        "restart-policy": Words(("geom", "luby", "arif", "gluc")),
        "restart-first": _COUNT,
        "restart-inc": Range(1.0, 1e9),
        "min-learnts": _COUNT,
        "ccmin-mode": Words(("0", "1", "2")),
        "phase-saving": Words(("0", "1", "2")),
        "jw-mode": Words(("none", "act", "pol-soft", "pol-hard", "full-soft", "full-hard")),
        "keep-bin": _SWITCH,
        "lcm": _SWITCH,
        "reducedb-policy": Words(("standard", "aggressive")),
        "reduce-by": _SHARE,
        "glucose-bump": _SWITCH,
        "ext": _SWITCH,
        "ext-threshold": _COUNT,
        "ext-warmup": _COUNT,
        "ext-escalate": _COUNT,
    },
    "glucose42": {
        "rnd-seed": Range(1.0, 2.0**31 - 1),
        "rnd-freq": _SHARE,
        "rnd-init-act": _SWITCH,
        "rnd-pol": _SWITCH,
        "rnd-first-descent": _SWITCH,
    },
}


def check(solver: str, options: Mapping[str, object]) -> None:
    """Raise `InputError` for an option that the solver does not have, or a value it does not take.
    Only Ergo and Glucose 4.2 are known.
    """
    ranges = _OPTIONS[solver]
    for name in options:
        if name not in ranges:
            raise InputError(f"there is no option '{name}': choose from {', '.join(ranges)}")
    option_values.check(options, ranges)
