"""Queens in regions as text pictures, one row per line."""

import re

from nqbench.errors import InputError
from nqbench.problems import board_text
from nqbench.problems.place import at
from nqbench.problems.region_shapes import flaw
from nqbench.problems.regions import LARGEST_N, Regions


def parse(text: str, source: str, name: str = "") -> Regions:
    """Parse a picture: for each square a letter or digit that names its region. Spaces between
    squares and empty lines are ignored. Raises `InputError`.
    """
    if wrong := re.search(r"[^\sA-Za-z0-9]", text):
        where, what = at(text, wrong.start()), "expected a letter or digit that names a region"
        raise InputError(f"{source}, {where}: {wrong[0]!r} is not a region: {what}")
    rows = board_text.rows(text, source)
    if len(rows) > LARGEST_N:
        raise InputError(f"{source}: {len(rows)} rows: expected at most {LARGEST_N}")
    regions = tuple(row for _, row in rows)
    if found := flaw(regions):
        row, column = found.square
        where = board_text.place(text, rows[row][0], column)
        raise InputError(f"{source}, {where}: {found.what}")
    return Regions(regions, name)
