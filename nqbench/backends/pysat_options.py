"""The options of Ergo and Glucose 4.2 in PySAT, which ignores or misreads those that it rejects."""

from collections.abc import Mapping
from typing import Final

from nqbench.errors import InputError

_SWITCH: Final = ("false", "true")
_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (0.0, 2.0**31 - 1)

_Allowed = tuple[str, ...] | tuple[float, float]

_OPTIONS: Final[Mapping[str, Mapping[str, _Allowed]]] = {
    "ergo": {
        "emulate": ("m2.0", "m2.2", "g3", "g4.2"),
        "cla-decay": _SHARE,
        "var-decay": _SHARE,
        "restart-policy": ("geom", "luby", "arif", "gluc"),
        "restart-first": _COUNT,
        "restart-inc": (1.0, 1e9),
        "min-learnts": _COUNT,
        "ccmin-mode": ("0", "1", "2"),
        "phase-saving": ("0", "1", "2"),
        "jw-mode": ("none", "act", "pol-soft", "pol-hard", "full-soft", "full-hard"),
        "keep-bin": _SWITCH,
        "lcm": _SWITCH,
        "reducedb-policy": ("standard", "aggressive"),
        "reduce-by": _SHARE,
        "glucose-bump": _SWITCH,
        "ext": _SWITCH,
        "ext-threshold": _COUNT,
        "ext-warmup": _COUNT,
        "ext-escalate": _COUNT,
    },
    "glucose42": {
        "rnd-seed": (1.0, 2.0**31 - 1),
        "rnd-freq": _SHARE,
        "rnd-init-act": _SWITCH,
        "rnd-pol": _SWITCH,
        "rnd-first-descent": _SWITCH,
    },
}
"""For each option the words that it takes, or the least and the largest number."""


def check(solver: str, options: Mapping[str, object]) -> None:
    """Raise `InputError` for an option that the solver does not have, or a value it does not take.
    Only Ergo and Glucose 4.2 are known.
    """
    known = _OPTIONS[solver]
    for name, value in options.items():
        if name not in known:
            raise InputError(f"there is no option '{name}': choose from {', '.join(known)}")
        if not _is_allowed(known[name], value):
            raise InputError(f"option '{name}' is {value}, but must be {_shown(known[name])}")


def _is_allowed(allowed: _Allowed, value: object) -> bool:
    match allowed:
        case (float(least), float(most)):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return is_number and least <= float(str(value)) <= most
        case words:
            return str(value).lower() in words


def _shown(allowed: _Allowed) -> str:
    match allowed:
        case (float(least), float(most)):
            return f"a number from {least:g} to {most:.10g}"
        case words:
            return f"one of {', '.join(map(str, words))}"
