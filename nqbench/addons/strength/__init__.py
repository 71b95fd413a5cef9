"""Strength: what an encoding lets unit propagation find, counted and not estimated.

strength   of one encoding on one row, over all or some partial assignments
table      of each scheme on some rows, measured once; two columns of `nqbench list encodings`
functions  `nqbench.strength`
"""
