"""The example notebooks run and give their committed output."""

import asyncio
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"


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
    before, again = shown(committed), shown(executed("campaign.ipynb"))
    assert [sorted(cell) for cell in again] == [sorted(cell) for cell in before]
    assert sum("image/png" in cell for cell in again) == 1
    assert again[-1] == before[-1]
