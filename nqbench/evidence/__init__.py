"""What checks of answers rest on: proofs, and exhaustive counts."""
