"""The charts of a page as pictures, used if the scripts that draw them are not installed."""

import base64
import io
from dataclasses import dataclass
from typing import Final

import matplotlib.style
import polars as pl

from nqbench import plots
from nqbench.plots.layout import Figure

_TITLES: Final = {
    "time-over-n": "Time over n",
    "time-over-instances": "Time of each formula",
    "cactus": "Instances solved within a time",
    "heatmap": "PAR-2 of each encoding with each backend",
    "sizes": "Size of the formulas",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG image as the source of an `img` element, which isolates its ids and styles."""

    title: str
    source: str


def pictures(records: pl.DataFrame) -> list[Picture]:
    """The charts that these records have data for."""
    return [
        Picture(_TITLES[kind], _source(plots.draw(records, kind)))
        for kind in plots.kinds_of(records, _TITLES)
    ]


def _source(figure: Figure) -> str:
    file = io.BytesIO()
    with matplotlib.style.context(plots.STYLE):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(file.getvalue()).decode()}"
