"""The machine: what it is, how busy it is, its cores, and what is wrong with it."""
