"""Families of problems, one in each file; entry points name them."""
