"""What stands on nqbench: each folder is a product of its own, found by its entry points."""
