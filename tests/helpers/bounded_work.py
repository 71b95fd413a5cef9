"""Runs under limits of work."""

import nqbench
from nqbench.backends.base import Backend
from nqbench.backends.permission import complete_backend_names
from nqbench.plugins.known_programs import PROGRAMS
from nqbench.plugins.programs import find
from nqbench.problems.families.pigeonhole import Pigeonhole

LIMIT = 500


HARD = Pigeonhole(10)
"""Every solver needs more than `LIMIT` conflicts, and LIMIT x 20 propagations."""


def limited_by(counter):
    return [
        name
        for name in complete_backend_names()
        if Backend.named(name).why_not_limited(counter) is None
        and (name not in PROGRAMS or find(name) is not None)
        and Backend.named(name).default_encoding is None
    ]


def bounded_runs():
    """The records of all backends that can stop at this many conflicts."""
    return nqbench.run(
        HARD,
        encodings="pairwise",
        backends=limited_by("conflicts"),
        repeat=2,
        conflict_limit=LIMIT,
        jobs=2,
        pin=False,
    )
