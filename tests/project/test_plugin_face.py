"""`nqbench.plugin` is all that the author of a plugin needs."""

import ast
import re

import pytest
from addons import is_of_missing
from places import ROOT
from stubs import without_deleted

import nqbench
from nqbench import plugin, testing
from nqbench.cli import face

PUBLIC = {"nqbench", "nqbench.plugin", "nqbench.testing", "nqbench.cli.face"}

PAGES = [
    *(ROOT / "docs" / "how-to").glob("*.md"),
    *(ROOT / "docs" / "addons").glob("*.md"),
    ROOT / "README.md",
    *(ROOT / "examples").rglob("*.py"),
]


def test_every_name_is_there_sorted_and_no_other():
    assert plugin.__all__ == sorted(set(plugin.__all__), key=str)
    assert all(hasattr(plugin, name) for name in plugin.__all__)
    assert not {"annotations", "declared", "PLUGIN"} & set(plugin.__all__)


def test_stubs_have_every_name_that_is_found_at_run_time():
    """Type checkers read them in place of the modules."""
    for module, path in (
        (nqbench, "__init__.pyi"),
        (plugin, "plugin.pyi"),
        (face, "cli/face.pyi"),
    ):
        body = ast.parse(without_deleted((ROOT / "nqbench" / path).read_text())).body
        there = {
            alias.asname
            for node in body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        there |= {node.name for node in body if isinstance(node, ast.FunctionDef)}
        there |= {node.targets[0].id for node in body if isinstance(node, ast.Assign)}
        assert there - {"__version__"} == set(module.__all__)


@pytest.mark.parametrize("face", [plugin, testing], ids=lambda face: face.__name__)
def test_every_name_is_on_the_page_of_plugins(face):
    """Or on a page of the add-on that has it."""
    pages = [page for page in (ROOT / "docs").glob("*/*.md") if not is_of_missing(page)]
    text = "\n".join(page.read_text() for page in pages)
    named = re.findall(rf"^::: {face.__name__}\.(\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(face.__all__)


def test_every_name_of_the_command_line_is_on_the_page_of_add_ons():
    page = (ROOT / "docs" / "addons" / "index.md").read_text()
    for name in face.__all__:
        assert f"`{name}`" in page, name
        assert hasattr(face, name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_and_examples_import_from_public_modules_only(page):
    imported = re.findall(r"^\s*(?:from|import) (nqbench[\w.]*)", page.read_text(), re.MULTILINE)
    assert set(imported) <= PUBLIC


def test_nothing_in_the_package_imports_it():
    """It is a face: what is behind it may move."""
    for path in (ROOT / "nqbench").rglob("*.py"):
        if path.name != "plugin.py" and "testing" not in path.parts:
            assert "nqbench.plugin import" not in path.read_text(), path
