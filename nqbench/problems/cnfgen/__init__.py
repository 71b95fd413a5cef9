"""Formulas that CNFgen makes from a name and parameters, such as `php 8 7`.

M. Lauria, J. Elffers, J. Nordström, M. Vinyals, "CNFgen: a generator of crafted benchmarks", SAT
2017. CNFgen is under the GPL, so its program is run and its modules are not imported.
"""
