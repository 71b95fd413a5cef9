"""nqbench measures SAT encodings and solvers on the n-queens family.

problem -> encoding -> CNF -> backend -> answer -> verdict -> record -> store -> summary -> plots

problem   what is asked, independent of any encoding
encoding  turns a problem into clauses, and a model of them back into a placement
CNF       the clauses, and which variables are the board's
backend   solves a CNF and answers `sat` with a model, `unsat`, or `unknown`
outcome   how a run ended: finished, timeout, memout, crashed, skipped, unavailable
verdict   what the check of the answer said: verified, refuted, unchecked
run       one problem x encoding x backend x repeat, measured once, in a process of its own
record    the immutable row a run leaves
campaign  the set of runs that one command line asks for
"""

from importlib.metadata import version

__version__ = version("nqbench")
