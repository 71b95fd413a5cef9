"""Which formulas of CNFgen are satisfiable, by theorems.

A claim is made only if it holds for all parameters that match a pattern of the table, in which `#`
is a whole number. CNFgen's help states the principles and, where no source is named, the answers.
"""

import re
from collections.abc import Callable
from typing import Final

from nqbench.problems.cnfgen.command import Command

_RAMSEY: Final[dict[tuple[int, ...], int]] = {
    **{(3, k): r for k, r in enumerate((6, 9, 14, 18, 23, 28, 36), start=3)},
    (4, 4): 18,
    (4, 5): 25,
}
"""S. Radziszowski, "Small Ramsey numbers", Electronic Journal of Combinatorics, Dynamic Survey DS1:
the smallest N for which every graph has an independent set or a clique of these sizes.
"""

_WAERDEN: Final[dict[tuple[int, ...], int]] = {
    **{(3, k): w for k, w in enumerate((9, 18, 22, 32, 46, 58, 77, 97, 114), start=3)},
    **{(4, k): w for k, w in enumerate((35, 55, 73, 109), start=4)},
    (5, 5): 178,
    (5, 6): 206,
    (6, 6): 1132,
    (3, 3, 3): 27,
    (3, 3, 4): 51,
    (3, 4, 4): 89,
    (4, 4, 4): 293,
}
"""T. Ahmed, O. Kullmann, H. Snevily, "On the van der Waerden numbers w(2; 3, t)", Discrete Applied
Mathematics 174, 2014; M. Kouril, J. Paul, "The van der Waerden number W(2, 6) is 1132",
Experimental Mathematics 17, 2008; M. Kouril, "Computing the van der Waerden number W(3, 4) = 293",
INTEGERS 12, 2012.
"""

_PYTHAGORAS: Final = 7825
"""M. Heule, O. Kullmann, V. Marek, "Solving and verifying the Boolean Pythagorean triples problem
via cube-and-conquer", SAT 2016.
"""


def _below(number: int | None, n: int) -> bool | None:
    return None if number is None else n < number


def _ramsey(s: int, k: int, n: int) -> bool | None:
    s, k = sorted((s, k))
    return _below(_RAMSEY.get((s, k)) if s > 2 else {1: 1, 2: k}.get(s), n)


def _waerden(n: int, *lengths: int) -> bool | None:
    return _below(_WAERDEN.get(tuple(sorted(lengths))), n)


def _is_unsat(*_: int) -> bool:
    return False


def _is_sat(*_: int) -> bool:
    return True


_KNOWN: Final[dict[str, Callable[..., bool | None]]] = {
    "true": _is_sat,
    "false": _is_unsat,
    "and # #": _is_sat,
    "or # #": lambda p, n: p + n > 0,
    # Pigeons and holes. With --onto alone, a pigeon may sit in several holes.
    "php #": _is_unsat,
    "php # #": lambda m, n: m <= n,
    "php # # --functional": lambda m, n: m <= n,
    "php # # --onto": lambda m, n: m <= n and (m > 0 or n == 0),
    "php # # --functional --onto": lambda m, n: m == n,
    "php # # #": lambda m, n, _: False if m > n else None,
    "bphp # #": lambda m, n: m <= n,
    "rphp # # #": lambda p, r, h: p <= min(r, h),
    # Parts of equal size.
    "parity #": lambda n: n % 2 == 0,
    "count # #": lambda m, p: m % p == 0 if p else None,
    "matching complete #": lambda n: n % 2 == 0,
    # R. Gomory: a board without a white and a black square can be tiled, and without two of one
    # colour it cannot.
    "mchess # #": lambda w, h: (w + h) % 2 == 1 if min(w, h) > 1 else None,
    # A finite order has a minimum, and so has a walk to ever smaller neighbours. D. Knuth, TAOCP
    # 4B, 7.2.2.2: it also follows from fewer axioms of transitivity.
    **{f"op #{flag}": lambda n: n == 0 for flag in ("", " --total", " --smart")},
    **{f"op #{flag}": lambda n: n == 0 for flag in (" --knuth2", " --knuth3")},
    **{f"op # #{flag}": _is_unsat for flag in ("", " --total", " --smart")},
    "op # --plant": _is_sat,
    # A. Urquhart, "Hard examples for resolution", Journal of the ACM 34, 1987: every edge counts at
    # both ends, so the charges of a component must have an even sum.
    "tseitin #": _is_unsat,
    "tseitin # #": _is_unsat,
    **{
        f"tseitin {charge} {graph}": _is_sat if charge == "zero" else _is_unsat
        for charge in ("first", "randomodd", "zero")
        for graph in ("complete #", "grid #", "grid # #", "grid # # #", "torus # #")
    },
    # K. Markström, "Locality and hard SAT-instances", JSAT 2, 2006: an even number of edges in each
    # component.
    "ec complete #": lambda n: n % 4 == 1 if n % 2 == 1 else None,
    "ec torus # #": lambda a, b: True if min(a, b) > 2 else None,
    "kcolor # complete #": lambda k, n: k >= n,
    "kclique # complete #": lambda k, n: k <= n,
    "cliquecoloring # # #": lambda n, k, c: k <= min(n, c),
    # E. Ben-Sasson, A. Wigderson, "Short proofs are narrow", Journal of the ACM 48, 2001.
    "peb tree #": _is_unsat,
    "peb pyramid #": _is_unsat,
    "peb path #": _is_unsat,
    # M. Alekhnovich, J. Johannsen, T. Pitassi, A. Urquhart, Theory of Computing 3, 2007.
    "stone # tree #": _is_unsat,
    "stone # pyramid #": _is_unsat,
    "stone # path #": _is_unsat,
    # N. Thapen, "A tradeoff between length and width in resolution", Theory of Computing 12, 2016.
    "cpls # # #": _is_unsat,
    # I. Spence, "sgen1", Journal of Experimental Algorithmics 15, 2010: one edge too many.
    "subsetcard #": _is_unsat,
    "subsetcard # #": _is_unsat,
    "randkcnf # # # --plant": _is_sat,
    "randkxor # # # --plant": _is_sat,
    "ptn #": lambda n: n < _PYTHAGORAS,
    "ram # # #": _ramsey,
    "vdw # # #": _waerden,
    "vdw # # # #": _waerden,
}

_KEEPS_MODELS: Final = ("flip", "none", "or", "shuffle", "xor")
"""Transformations that keep a formula satisfiable. Every one keeps it unsatisfiable, since it
replaces variables by functions of others.
"""


def satisfiable(command: Command) -> bool | None:
    """Whether the formula is satisfiable; None if no theorem applies.

    >>> from nqbench.problems.cnfgen.command import parsed
    >>> [satisfiable(parsed(text)) for text in ("php 8 7", "ram 3 3 5", "ram 5 5 44")]
    [False, True, None]
    """
    words = command.formula
    options = sorted(word for word in words if word.startswith("--"))
    rest = [word for word in words if not word.startswith("--")]
    numbers = [int(word) for word in rest if _is_whole(word)]
    pattern = " ".join(["#" if _is_whole(word) else word for word in rest] + options)
    claim = _KNOWN.get(pattern)
    answer = claim(*numbers) if claim else None
    if answer and any(name not in _KEEPS_MODELS for name, *_ in command.transformations):
        return None
    return answer


def _is_whole(word: str) -> bool:
    return re.fullmatch(r"\d+", word, re.ASCII) is not None
