"""Add-ons and their tests. Whoever deletes an add-on deletes its folder, its tests and its lines in
`pyproject.toml`; everything else stays as it is.
"""

import importlib.util
import re

import pytest
from places import ROOT

TESTS = ROOT / "tests" / "addons"
STANDS_ON = {
    "bundle": {"compare"},  # a replay compares what was measured again
    "grading": {"certify"},  # a submission is certified before it is measured
}
"""The add-ons that others use. Whoever deletes one deletes those as well."""

KINDS = ("unit", "commands", "campaigns", "matrix", "hostile", "outside", "pages")
"""The folders of an add-on's tests, as those of `tests` for the core."""


def is_here(name):
    """Whether this add-on has not been deleted."""
    return (ROOT / "nqbench" / "addons" / name).is_dir()


def needs_addon(*names):
    """The mark of a test of the core that uses these add-ons."""
    missing = [name for name in names if not is_here(name)]
    return pytest.mark.skipif(bool(missing), reason=f"without the add-on {', '.join(missing)}")


def is_of_missing(page):
    """Whether a page of the documentation is that of an add-on which has been deleted."""
    name = page.stem.partition("-")[0]
    return page.parent.name == "addons" and name != "index" and not is_here(name)


def names_missing(text):
    """Whether a text, such as a path or a module, names an add-on that has been deleted."""
    return any(not is_here(name) for name in re.findall(r"\baddons[./](\w+)[./]", text))


def calls():
    """For each add-on, the module `calls` of its tests: `CALLS` has a call of each of its commands
    with a part of what it prints, `FUNCTIONS` has its names in `nqbench`, if any, and `prepare`
    makes what these calls need, if they need more.
    """
    modules = []
    for file in sorted(TESTS.glob("*/calls.py")):
        spec = importlib.util.spec_from_file_location(f"calls_of_{file.parent.name}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules.append(module)
    return modules
