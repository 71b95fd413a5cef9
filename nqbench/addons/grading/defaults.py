"""What `grade` does if nothing else is said, and what it writes. The command line imports it, so
it imports little.
"""

from typing import Final

SOLVERS: Final = ("cadical195", "glucose4", "minisat22")
"""The backends that race."""

SHUFFLES: Final = 5
"""How often each formula is measured by each, every time with its clauses in another order."""

TIME_S: Final = 4.0
"""The time limit of a program, a verdict and a run."""

MEMORY_BYTES: Final = 2**30
"""Their memory limit."""

OUTPUT_BYTES: Final = 32 * 2**20
"""The most that a program may print."""

PAGES: Final = "pages"
"""The folder with a page for each submission, which can be handed out."""

NAMES: Final = "names.csv"
"""The file that says which number of a scoreboard without names is whose."""
