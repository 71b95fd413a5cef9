"""The example notebook runs, and shows what it is committed with."""

import asyncio
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parent.parent / "examples"


def shown(notebook):
    """What each cell shows, by kind."""
    return [
        {
            kind: value
            for output in cell.get("outputs", [])
            for kind, value in [*output.get("data", {}).items(), ("text", output.get("text", ""))]
        }
        for cell in notebook.cells
    ]


def test_the_notebook_shows_what_it_is_committed_with():
    committed = nbformat.read(EXAMPLES / "boards.ipynb", as_version=4)
    again = nbformat.read(EXAMPLES / "boards.ipynb", as_version=4)
    with warnings.catch_warnings():
        # What the kernel's own libraries deprecate is not ours to mend.
        warnings.simplefilter("ignore")
        asyncio.run(NotebookClient(again, timeout=300).async_execute(cwd=str(EXAMPLES)))
    assert shown(again) == shown(committed)
    pictures = [cell for cell in shown(again) if "image/svg+xml" in cell]
    assert len(pictures) == 7
