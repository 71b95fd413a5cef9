"""Certificates of encodings: a formula has the same solutions as the rules, by counting, and by
checked proofs that it is equivalent to the rules as clauses. Nothing that judges answers is here.
"""

from typing import Final

from nqbench.plugins.declared import Command

CERTIFY: Final = Command(
    "Formulas",
    "nqbench.addons.certify.command:certify",
    "Prove that an encoding allows exactly the solutions.",
)
