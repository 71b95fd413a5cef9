"""The evidence for checks of answers: proofs and exhaustive counts."""
