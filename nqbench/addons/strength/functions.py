"""`nqbench.strength`."""

from collections.abc import Sequence
from typing import Final

from nqbench.addons.strength.strength import LONGEST, Row, Strength, measure
from nqbench.common.errors import InputError
from nqbench.common.keywords import suggesting
from nqbench.encodings.base import Encoding

_LARGEST_SUM: Final = 2**62
"""Sums are machine numbers here."""


@suggesting
def strength(
    encoding: Encoding | str,
    literals: int | Sequence[int] = 8,
    *,
    least: int = 0,
    most: int | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Strength:
    """How many conflicts and forced literals unit propagation finds on the clauses of one row, over
    all partial assignments, and how many solutions have several models.

    `literals` is their number, or a list of their weights. At least `least` and at most `most` of
    them are true; without both, at most half. All 3^n partial assignments are tried, or with
    `samples` so many, drawn with `seed`. `table` in docs/explanation/encodings.md has the schemes
    of nqbench on some rows.

    Raises `InputError` for wrong arguments, or if the encoding does not state such a row, and
    `UnavailableError` if it does not work here.
    """
    if isinstance(literals, str | float):
        raise InputError(f"literals is {literals!r}: give a whole number, or a list of weights")
    weights = (1,) * literals if isinstance(literals, int) else tuple(literals)
    if not 2 <= len(weights) <= LONGEST:
        raise InputError(f"a row has 2 to {LONGEST} literals here, not {len(weights)}")
    if min(weights) < 1:
        raise InputError(f"weights must be at least 1, not {min(weights)}: negate the literal")
    if sum(weights) > _LARGEST_SUM:
        raise InputError(f"the weights add up to {sum(weights)}, which is more than 2^62")
    if most is None:
        most = sum(weights) if least else sum(weights) // 2
    if not 0 <= least <= most <= sum(weights):
        raise InputError(
            f"bounds must be in order from 0 to {sum(weights)}, not {least} and {most}"
        )
    if samples is not None and samples < 1:
        raise InputError("samples must be at least 1")
    row = Row(weights, least, most)
    if row.is_free:
        raise InputError(f"{row} allows everything: give a tighter bound")
    component = encoding if isinstance(encoding, Encoding) else Encoding.named(encoding)
    return measure(component, row, samples, seed)
