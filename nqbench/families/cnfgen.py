"""`cnfgen`: a formula that CNFgen makes from a name and parameters, such as `php 8 7`.

It has clauses already, and no cover or rules: answers are checked against the clauses. For many
formulas, theory knows the answer as well: see `nqbench.problems.cnfgen.known`.
"""

from nqbench.families.base import Family
from nqbench.problems.cnfgen.generated import Generated


class CNFgen(Family):
    """Formulas by name and parameters, as `nqbench.cnfgen` takes them."""

    meaning = "a formula of CNFgen, by a command such as 'php 8 7'"
    reference = "M. Lauria, J. Elffers, J. Nordström, M. Vinyals, SAT 2017"
    problem = Generated
    has_sizes = False
