"""Every encoding obeys placed queens and blocked squares."""

import pytest
from hypothesis import given, settings
from strategies import boards

from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.testing.encodings import check_instances

ENCODINGS = [name for name in complete_encoding_names() if name != "file"]


@pytest.mark.parametrize("name", [*ENCODINGS, "pairwise:symmetry=half"])
@given(problem=boards(largest=5, blocked=8))
@settings(max_examples=10)
def test_placed_queens_and_blocked_squares_are_obeyed(name, problem):
    check_instances(Encoding.named(name), [problem])
