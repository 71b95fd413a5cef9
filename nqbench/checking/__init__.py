"""Judges answers: rules, proofs and exhaustive counts."""
