"""nqbench measures SAT encodings and solvers on the n-queens family.

problem -> encoding -> instance -> backend -> answer -> verdict
        -> record -> store -> summary -> plots

problem   what is asked, independent of any encoding; or a formula in a file, as it is
encoding  turns a problem into an instance, and a model of it back into a placement
instance  clauses and which of their variables are the board's (CNF), a CSP, or the problem as it is
backend   solves instances of one kind and answers `sat` with a model, `unsat`, or `unknown`
task      what is asked of it: the first solution, or all
outcome   how a run ended: finished, timeout, memout, crashed, skipped, unavailable, invalid
verdict   what the check of the answer said: verified, refuted, unchecked
run       one problem x encoding x backend x repeat, measured once, in a process of its own
record    the immutable row a run leaves
campaign  the set of runs that one command line asks for
"""

from importlib.metadata import version

__version__ = version("nqbench")

from nqbench.api import plot, read, run, solve
from nqbench.drawing.board import Board
from nqbench.instances.formula import Formula, formulas
from nqbench.problems.base import Problem

__all__ = ["Board", "Formula", "Problem", "formulas", "plot", "read", "run", "solve"]
