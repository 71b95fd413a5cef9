"""Conformance checks for encodings, backends and families. All built-ins pass them, and plugins
should too.

    from nqbench.plugin import Encoding
    from nqbench.testing import check_encoding

    def test_my_scheme():
        check_encoding(Encoding.named("my-scheme"))

Each check returns None, or raises an `AssertionError` that says what is wrong. The expected
solutions are found by brute force in this package and share no code with any encoder.
"""

from nqbench.testing.backends import check_backend
from nqbench.testing.brute_force import SMALL_BOARDS, solutions
from nqbench.testing.encodings import LINES, check_at_most_one, check_encoding, full_placements
from nqbench.testing.families import check_family

__all__ = [
    "LINES",
    "SMALL_BOARDS",
    "check_at_most_one",
    "check_backend",
    "check_encoding",
    "check_family",
    "full_placements",
    "solutions",
]
