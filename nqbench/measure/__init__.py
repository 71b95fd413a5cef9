"""One run: its instance, its worker, the judge of its answer, and its record."""
