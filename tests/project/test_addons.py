"""The core and its add-ons: nothing points at an add-on, each is whole, and each can be deleted."""

import ast
import re
import tomllib

from addons import STANDS_ON, TESTS
from places import ROOT
from test_structure import MODULES, imported, room

ADDONS = ROOT / "nqbench" / "addons"
NAMES = {path.name for path in ADDONS.iterdir() if (path / "__init__.py").exists()}


def addon(module):
    """The add-on that a module belongs to; empty for the core."""
    return module.split(".")[2] if module.startswith("nqbench.addons.") else ""


def entry_points():
    """The entry points of nqbench by group, without those of programs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["entry-points"]


def test_the_core_imports_no_add_on():
    """Neither in a function nor for the type checker."""
    for name, path in MODULES.items():
        if not addon(name):
            assert not set(map(addon, imported(path, types=True))) - {""}, name


def test_add_ons_stand_on_others_only_where_it_is_listed():
    """The list is exact."""
    stands_on = {}
    for name, path in MODULES.items():
        if others := set(map(addon, imported(path, types=True))) - {"", addon(name)}:
            stands_on.setdefault(addon(name), set()).update(others)
    assert stands_on == {
        name: others & NAMES for name, others in STANDS_ON.items() if name in NAMES
    }


def test_the_core_names_no_add_on():
    """In no string and no comment: neither a module nor a command nor a function of one."""
    points = entry_points()
    commands = "|".join(points["nqbench.commands"]) or "-"
    functions = "|".join(name.rpartition(".")[2] for name in points["nqbench.functions"]) or "-"
    named = re.compile(
        rf"nqbench\.addons\.\w|addons[/.](?:{'|'.join(NAMES) or '-'})\b"
        rf"|nqbench (?:{commands})\b|nqbench\.(?:{functions})\b|Results\.(?:{functions})\b"
    )
    found = [
        f"{name}: {match[0]}"
        for name, path in MODULES.items()
        if not addon(name)
        for match in named.finditer(path.read_text())
        if not is_import(path, match)
    ]
    assert not found


def is_import(path, match):
    """Whether a match is the beginning of an import from the package."""
    line = path.read_text()[: match.start()].rpartition("\n")[2]
    return line.strip().endswith("from") and match[0] == "nqbench import"


def test_rooms_are_in_the_order_in_which_they_import():
    """In the list of `nqbench/__init__.py`, which everybody reads first."""
    said = ast.get_docstring(ast.parse(MODULES["nqbench"].read_text()))
    lines = re.findall(r"^(\w+(?:, \w+)*)  +\S", said.partition("What is where")[2], re.MULTILINE)
    order = [name for line in lines for name in line.split(", ")]
    rooms = {room(name) for name in MODULES if name not in ("nqbench", "nqbench.__main__")}
    assert set(order) == rooms
    for name, path in MODULES.items():
        if name not in ("nqbench", "nqbench.__main__"):
            used = {room(other) for other in imported(path, types=True) if other != "nqbench"}
            below = order[: order.index(room(name)) + 1]
            assert used <= set(below), name


def test_each_add_on_is_whole():
    """Its folder, its tests, its page and its entry points have its name."""
    declared = {
        addon(value.partition(":")[0])
        for group in entry_points().values()
        for value in group.values()
    }
    assert declared - {""} == NAMES
    assert {path.name for path in TESTS.iterdir() if path.is_dir()} - {"__pycache__"} == NAMES
    for name in NAMES:
        assert ast.get_docstring(ast.parse((ADDONS / name / "__init__.py").read_text())), name
        assert (ROOT / "docs" / "addons" / f"{name}.md").exists(), name


def test_each_add_on_is_deleted_in_a_copy():
    """By a job of the workflow; see `tools/without.py`."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    listed = re.search(r"^ +addon: \[(.*)\]$", workflow, re.MULTILINE)
    assert set(listed[1].split(", ")) >= NAMES


def test_what_is_declared_is_there():
    for group in entry_points().values():
        for value in group.values():
            module, _, name = value.partition(":")
            tree = ast.parse(MODULES[module].read_text())
            made = {node.name for node in tree.body if hasattr(node, "name")}
            made |= {
                ast.unparse(target)
                for node in tree.body
                if isinstance(node, ast.Assign | ast.AnnAssign)
                for target in getattr(node, "targets", [getattr(node, "target", None)])
            }
            assert name in made, value
