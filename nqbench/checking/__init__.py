"""Everything that judges answers: by rules, proofs and exhaustive counts."""
