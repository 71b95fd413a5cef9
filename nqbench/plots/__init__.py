"""Figures from summaries, nothing else. Colours and markers follow backends, panels encodings."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import matplotlib.style
import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nqbench.plots.cactus import cactus
from nqbench.plots.over_n import time_over_n, total_over_n
from nqbench.plots.phases import phases
from nqbench.plots.sizes import sizes
from nqbench.plots.transition import transition

_STYLE: Final = Path(__file__).with_name("style.mplstyle")

KINDS: Final[dict[str, Callable[[pl.DataFrame], Figure]]] = {
    "time-over-n": time_over_n,
    "total-over-n": total_over_n,
    "sizes": sizes,
    "phases": phases,
    "cactus": cactus,
    "transition": transition,
}


def kinds_of(records: pl.DataFrame) -> list[str]:
    """The figures that these records can fill: only boards with a density have a transition."""
    swept = records["density"].is_not_null().any()
    return [kind for kind in KINDS if swept or kind != "transition"]


def save_all(records: pl.DataFrame, folder: Path, kinds: Iterable[str]) -> list[Path]:
    """Draw figures of the records as PNG and SVG, and return the files written.

    Raises `OSError` if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with matplotlib.style.context(_STYLE):
        for kind in kinds:
            figure = KINDS[kind](records)
            FigureCanvasAgg(figure)
            for suffix in ("png", "svg"):
                path = folder / f"{kind}.{suffix}"
                metadata = {"Date": None} if suffix == "svg" else {}
                figure.savefig(path, metadata=metadata)
                figure.set_layout_engine("none")  # keep the layout of the first drawing
                written.append(path)
    return written
