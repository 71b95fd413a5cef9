"""The examples in docstrings are right."""

import doctest
import importlib

import pytest
from places import ROOT

MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "nqbench").rglob("*.py"))
    if b">>> " in path.read_bytes()
]
"""Only these are imported: to import all modules takes longer than their examples."""


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    failed, tried = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))
    assert tried
    assert not failed
