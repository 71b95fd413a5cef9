"""The formats of formulas in files: `FORMATS`. Whatever is said of them is derived from here.

It imports nothing of nqbench, so that `nqbench --help` can read it. How each is read and written is
at its `place`, which `constraint_files` imports.
"""

from typing import Final, NamedTuple


class FileFormat(NamedTuple):
    """A format of files, by the `name` that people know. The first suffix is the usual one, and
    `header` is the word behind the `p` of its first line; empty if a file needs no such line. If
    it `holds` more than clauses, its `RowFormat` is at this `place` below `nqbench.clauses`.
    """

    name: str
    suffixes: tuple[str, ...]
    header: str
    place: str = ""
    holds: str = ""
    has_rows: bool = False
    has_objective: bool = False


FORMATS: Final = (
    FileFormat("DIMACS", (".cnf", ".dimacs"), "cnf"),
    FileFormat("KNF", (".knf",), "knf", "knf:KNF", "cardinality constraints", has_rows=True),
    FileFormat(
        "CNF+",
        (".cnf+", ".cnfp"),
        "cnf+",
        "cnf_plus_text:CNF_PLUS",
        "at-most-k constraints",
        has_rows=True,
    ),
    FileFormat(
        "OPB", (".opb", ".pb", ".wbo"), "", "opb:OPB", "weights", has_rows=True, has_objective=True
    ),
    FileFormat("WCNF", (".wcnf",), "wcnf", "wcnf:WCNF", "weights (MaxSAT)", has_objective=True),
)
"""DIMACS, and formats with more than clauses: rows of literals, an objective or both."""

SUFFIXES: Final = tuple(suffix for form in FORMATS for suffix in form.suffixes)

ROW_SUFFIXES: Final = tuple(suffix for form in FORMATS[1:] for suffix in form.suffixes)
"""The suffixes of formats with more than clauses."""
