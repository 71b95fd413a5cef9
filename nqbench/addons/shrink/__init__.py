"""Shrink: makes a formula small that shows a fault of a solver, or that it is slow.

kept        what has to stay: the kind of a failure, or a number of steps
statement   clauses, rows and queries, and the passes that make them smaller
shrinking   the passes in turns, with a cache and a budget
trial       runs of solvers on small formulas, judged as all runs are
shrunk      both together, and the result
reproducer  a program that shows the fault without nqbench, and a text for a report
functions   `nqbench.shrink`

Queries come from any problem with the methods of `statement.Asked`: no other add-on is imported.
"""

from typing import Final

from nqbench.plugins.declared import Command

SHRINK: Final = Command(
    "Formulas",
    "nqbench.addons.shrink.command:shrink",
    "Make a formula small that shows a fault.",
    example="nqbench shrink bad.cnf --backend exe:./a.out  a small formula for a report",
)
"""`shrink`: a small formula and a program for a report."""
