"""Programs that pip cannot install; tests that need one are skipped if it is missing."""

import pytest

from nqbench.plugins.programs import find


def needs(program):
    return pytest.mark.skipif(find(program) is None, reason=f"no {program}: apt install {program}")
