"""What each solver of PySAT can do, and its parameters and options.

tests/matrix/test_backends.py checks this. CaDiCaL takes the limit of conflicts of one call only and
has none of propagations. MapleCM and MapleSAT do not count propagations. Glucose and Gluecard look
at their limits when they restart, and so exceed them by some conflicts. Lingeling has no limits,
and Kissat answers `unknown` under any.

PySAT does not refuse a value of an option that Ergo or Glucose 4.2 rejects: it keeps the old one,
or reads another value. A record would then name a setting that was not in force.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nqbench.backends import option_values
from nqbench.backends.base import PHASE, Capabilities
from nqbench.backends.option_values import Range, Words
from nqbench.common.errors import InputError
from nqbench.plugins.parameters import Choice, Parameter, Whole

_CONFLICTS: Final = ("conflicts",)
_BOTH: Final = ("conflicts", "propagations")

_PLAIN: Final = Capabilities(
    incremental=True, enumeration=True, counters=True, assumptions=True, work_limits=_BOTH
)
_PROVING: Final = replace(_PLAIN, proof=True)
_CADICAL: Final = replace(_PROVING, work_limits=_CONFLICTS)
_NATIVE: Final = replace(_PLAIN, at_most_k=True)
_NATIVE_PROVING: Final = replace(_PROVING, at_most_k=True)

_SEED: Final = Whole(default=0, least=0, most=2 * 10**9)


@dataclass(frozen=True, slots=True)
class Kind:
    """One solver of PySAT."""

    capabilities: Capabilities
    parameters: Mapping[str, Parameter] = field(default_factory=lambda: {"phase": PHASE})
    passes_options: bool = False
    counts_propagations: bool = True


def _cadical(*, at_most_k: bool = False, **parameters: Parameter) -> Kind:
    capabilities = replace(_CADICAL, at_most_k=at_most_k)
    return Kind(capabilities, {"seed": _SEED, "phase": PHASE, **parameters}, passes_options=True)


KINDS: Final = {
    # PySAT gives no access to its options and phases.
    "cadical103": Kind(_CADICAL, {}),
    "cadical153": _cadical(),
    "cadical195": _cadical(at_most_k=True),
    # PySAT switches bounded variable addition off.
    "cadical300": _cadical(at_most_k=True, bva=Choice("false", ("false", "true"))),
    "ergo": Kind(_NATIVE_PROVING, passes_options=True),
    "gluecard3": Kind(_NATIVE_PROVING),
    "gluecard4": Kind(_NATIVE_PROVING),
    "glucose3": Kind(_PROVING),
    "glucose4": Kind(_PROVING),
    "glucose42": Kind(_PROVING, passes_options=True),
    # One shot: it aborts if a clause is added after an answer, and ignores assumptions.
    "kissat404": Kind(Capabilities(), {}),
    "lingeling": Kind(replace(_PROVING, work_limits=())),
    "maplechrono": Kind(_PROVING),
    # Its proofs may lack their last line.
    "maplecm": Kind(replace(_PLAIN, work_limits=_CONFLICTS), counts_propagations=False),
    # Its proofs number the variables one too high.
    "maplesat": Kind(replace(_PLAIN, work_limits=_CONFLICTS), counts_propagations=False),
    "mergesat3": Kind(_PLAIN),
    "mgh": Kind(_PLAIN),
    "minicard": Kind(_NATIVE),
    "minisat22": Kind(_PLAIN),
    "minisatep": Kind(_NATIVE),
}


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
