"""Plans campaigns: the runs, their order, and which are left out."""
