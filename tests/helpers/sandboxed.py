"""Tests that need a sandbox for the programs of strangers."""

import pytest

from nqbench.addons.grading.sandbox.protection import Level
from nqbench.addons.grading.sandbox.sandbox import protection

needs_sandbox = pytest.mark.skipif(
    protection().level is Level.UNCONFINED, reason="needs a kernel with Landlock or namespaces"
)
