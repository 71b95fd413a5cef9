"""Which runs there are, in what order they come, and which are left out."""
