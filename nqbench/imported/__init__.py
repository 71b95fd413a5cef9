"""Results that nqbench did not measure: read from files of other programs, and made into records.

`kinds` finds out what a file is, one module reads each kind, and `statements` makes records of what
the file states. Such records name their source in the column `imported_from`.
"""

from typing import Final

KINDS: Final = ("csv", "benchexec", "aslib", "mkplot", "nqbench")
"""The kinds of files; `nqbench` is an export."""
