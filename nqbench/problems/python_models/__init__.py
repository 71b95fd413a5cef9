"""Models from Python as formulas: lists, PySAT's formulas, and CPMpy's models."""
