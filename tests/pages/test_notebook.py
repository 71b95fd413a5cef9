"""The example notebooks run and give their committed output."""

import ast
import asyncio
import warnings

import nbformat
import pytest
from nbclient import NotebookClient
from places import ROOT

import nqbench

EXAMPLES = ROOT / "examples"


def shown(notebook):
    """The output of each cell, by kind."""
    return [
        {
            kind: value
            for output in cell.get("outputs", [])
            for kind, value in [*output.get("data", {}).items(), ("text", output.get("text", ""))]
        }
        for cell in notebook.cells
    ]


def executed(name):
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    with warnings.catch_warnings():
        # Deprecations in the kernel's own libraries cannot be fixed here.
        warnings.simplefilter("ignore")
        asyncio.run(NotebookClient(notebook, timeout=300).async_execute(cwd=str(EXAMPLES)))
    return notebook


def test_boards_show_what_they_are_committed_with():
    committed = nbformat.read(EXAMPLES / "boards.ipynb", as_version=4)
    again = executed("boards.ipynb")
    assert shown(again) == shown(committed)
    pictures = [cell for cell in shown(again) if "image/svg+xml" in cell]
    assert len(pictures) == 7


def test_a_campaign_shows_tables_and_a_figure():
    """Times differ, sizes do not."""
    committed = nbformat.read(EXAMPLES / "campaign.ipynb", as_version=4)
    notebook = executed("campaign.ipynb")
    before, again = shown(committed), shown(notebook)
    assert [sorted(cell) for cell in again] == [sorted(cell) for cell in before]
    assert sum("image/png" in cell for cell in again) == 1
    assert again[-1] == before[-1]
    # The number of runs stays; on a busy machine, what else took long was shown as well.
    outputs = next(cell.outputs for cell in notebook.cells if cell.get("outputs"))
    pages = [output.get("data", {}).get("text/html", "") for output in outputs]
    assert any("48 runs in" in page for page in pages)
    assert not any("<progress" in page for page in pages)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_examples_use_only_what_is_documented(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("nqbench"):
                assert node.module == "nqbench"
                assert {name.name for name in node.names} <= set(nqbench.__all__)
            if isinstance(node, ast.Import):
                assert not any(name.name.startswith("nqbench.") for name in node.names)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "nqbench":
                assert node.attr in nqbench.__all__
