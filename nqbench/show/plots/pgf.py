"""Writes figures as PGF pictures, whose text LaTeX sets in the font of the document."""

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

import matplotlib
from matplotlib.backends.backend_pgf import RendererPgf
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from nqbench.common import files
from nqbench.common.errors import UnavailableError
from nqbench.show import latex

_ENGINES: Final = ("pdflatex", "xelatex", "lualatex")
"""The programs of LaTeX, of which the first that is installed measures the text."""

_DOCUMENT: Final = "document"
"""A family that Matplotlib does not know: LaTeX then takes that of the document."""


def engine() -> str:
    """The program of LaTeX that measures text. Raises `UnavailableError` if none is installed."""
    program = next(filter(shutil.which, _ENGINES), None)
    if program is None:
        raise UnavailableError(
            "format 'pgf' needs LaTeX to measure its text: install it, with Debian or Ubuntu by "
            "'apt install texlive-latex-recommended texlive-pictures', or choose pdf"
        )
    return program


def write(figure: Figure, path: Path) -> None:
    r"""Write a figure for `\input` in a document with the package pgf. Raises `UnavailableError` if
    LaTeX is missing or cannot set a text, and `InputError` if the file cannot be written.
    """
    with matplotlib.rc_context({"pgf.texsystem": engine(), "pgf.rcfonts": False}):
        picture = io.StringIO()
        with _explain_errors():
            _write(figure, picture)
    files.write(path, picture.getvalue().encode())


def _write(figure: Figure, file: TextIO) -> None:
    width, height = figure.get_size_inches()
    file.write(
        "% Needs \\usepackage{pgf}\n"
        "\\begingroup\n\\makeatletter\n\\begin{pgfpicture}\n"
        "\\pgfpathrectangle{\\pgfpointorigin}"
        f"{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}\n"
        "\\pgfusepath{use as bounding box, clip}\n"
    )
    figure.draw(_Renderer(figure, file))
    file.write("\\end{pgfpicture}\n\\makeatother\n\\endgroup\n")


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Say in one line why LaTeX could not set the text of a figure."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        lines = str(error).splitlines()
        # LaTeX begins the line of an error with "!".
        why = next((line for line in lines if line.startswith("!")), lines[0])
        raise UnavailableError(f"{engine()} cannot set the text of the plot: {why}") from error


class _Renderer(RendererPgf):  # type: ignore[misc]
    """A renderer whose text has no commands of LaTeX, and the font of the document."""

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: FontProperties, *more: Any, **how: Any
    ) -> None:
        """Write a text."""
        super().draw_text(gc, x, y, latex.escaped(s), _font(prop), *more, **how)

    def get_text_width_height_descent(self, s: str, prop: FontProperties, *more: Any) -> Any:
        """Ask LaTeX for the size of a text, in pixels."""
        return super().get_text_width_height_descent(latex.escaped(s), _font(prop), *more)


def _font(prop: FontProperties) -> FontProperties:
    """The same size and style, in the family of the document."""
    font = prop.copy()
    font.set_family(_DOCUMENT)
    return font
