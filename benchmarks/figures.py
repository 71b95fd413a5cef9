"""The file of figures that pages quote, with the date and the machine of each.

`tox -e bench` renews the figures of the benchmarks that it runs. `tools/measured.py` puts them on
pages.
"""

from pathlib import Path

import msgspec

from nqbench.machine.environment import Environment


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A measured value, and what is needed to measure it again.

    `benchmark` is a file of this folder, and `environment` a key of `Figures.environments`. A value
    of None means that the figure was not measured, only named (`--smallest`).
    """

    value: int | float | None
    unit: str
    benchmark: str
    on_request: bool
    date: str
    environment: str


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures by name, and the environments that they were measured in by id."""

    environments: dict[str, Environment]
    figures: dict[str, Figure]

    def renewed(self, other: "Figures") -> "Figures":
        """These figures, with those of `other` in place of the ones with the same names."""
        figures = self.figures | other.figures
        used = {figure.environment for figure in figures.values()}
        known = self.environments | other.environments
        return Figures(
            {name: known[name] for name in sorted(used)},
            {name: figures[name] for name in sorted(figures)},
        )


NO_FIGURES = Figures({}, {})


def read(path: Path) -> Figures:
    """The figures in a file. Raises `ValueError` with the path if it is not one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Figures)
    except msgspec.DecodeError as error:
        raise ValueError(f"{path} is not a file of figures: {error}") from error


def write(path: Path, figures: Figures) -> None:
    """Write a file with a line for each fact, so that differences can be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")


def rounded(value: float) -> float:
    """Four digits. Integers, such as counts, are kept."""
    return value if isinstance(value, int) else float(f"{value:.4g}")
