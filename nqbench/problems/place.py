"""Places in files, for error messages."""


def at(text: str, offset: int) -> str:
    """The line and column of a character, as editors count them.

    >>> at("ab\\ncd", 4)
    'line 2, column 2'
    """
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return f"line {line}, column {column}"
