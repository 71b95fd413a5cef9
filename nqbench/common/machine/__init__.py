"""The machine: its hardware and software, its load, and its cores."""
