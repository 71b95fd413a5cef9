"""Programs that read DIMACS files: how they are found, called, limited and read."""
