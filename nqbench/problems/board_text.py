"""Square boards in text, one row per line with a symbol for each square, and places in text."""

from nqbench.common.errors import InputError, Place


def rows(text: str, source: str) -> list[tuple[int, str]]:
    """Each row with the number of its line. Spaces between squares and empty lines are ignored.
    Raises `InputError` unless there are as many rows as squares in each.
    """
    lines = enumerate(("".join(line.split()) for line in text.split("\n")), 1)
    numbered_rows = [(number, line) for number, line in lines if line]
    if not numbered_rows:
        raise InputError("no board: expected one row of squares per line", place=Place(source))
    n = len(numbered_rows)
    for number, row in numbered_rows:
        if len(row) != n:
            raise InputError(
                f"{len(row)} squares in a board of {n} rows: each row needs {n}",
                place=place(text, source, number, min(len(row), n + 1) - 1),
            )
    return numbered_rows


def place(text: str, source: str, number: int, column: int) -> Place:
    """The place of a square in the line with this number, with spaces counted."""
    line = text.split("\n")[number - 1]
    squares = [position for position, symbol in enumerate(line, 1) if not symbol.isspace()]
    return Place(source, number, squares[column])


def place_at(text: str, source: str, offset: int) -> Place:
    """The line and column of a character, as editors count them.

    >>> print(place_at("ab\\ncd", "a.txt", 4))
    a.txt, line 2, column 2
    """
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return Place(source, line, column)
