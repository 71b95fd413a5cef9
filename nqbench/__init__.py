"""nqbench measures SAT encodings and solvers on n-queens and other exact covers.

problem -> encoding -> instance -> backend -> answer -> verdict
        -> record -> store -> summary -> plots

problem   what is to be solved, independent of any encoding; or a formula
encoding  turns a problem into an instance, and a model back into a placement
instance  clauses, with the main variables first (CNF); a CSP; or the unencoded problem
backend   solves instances of one kind and answers `sat` with a model, `unsat`, or `unknown`
task      what a backend has to find: the first solution, or all
outcome   how a run ended: finished, timeout, memout, crashed, capped, skipped, unavailable ...
verdict   the result of checking the answer: verified, refuted, unchecked
run       one problem x encoding x backend x repeat, measured once, in a separate process
record    the immutable row of a run
campaign  the set of runs that one command line asks for

What is where, each room above those that import it:

common        words and values: vocabulary, limits, metrics, errors, files, parsing, units
machine       this computer, and the builds of solvers
isolate       a function in a process of its own, under limits
clauses       the forms that solvers take: CNF and constraints in arrays, files; rewriting of CNF
revisions     commits of a solver's repository: named, built once, and kept
plugins       components by name: found, given parameters, installed, tried
problems      what is asked: items and bounds, rules, symmetry; `families`, one in each file
records       the row of a run, the store, formats; `imported`, results of other programs
checking      what judges answers: behind a wall, with a core in C
implication   whether one formula implies another: definitions, and proofs that the judge checks
encodings     one scheme in each file
backends      one library of solvers in each file or package
summary       from records to numbers and sentences
drawing       boards, and the steps of a search
measure       one run: encoded, solved in a worker, judged
show          from numbers to what is read: `tables`, `plots`, `report`
history       results over revisions, versions or days, and the steps in them
certificates  whether an encoding is right
campaign      what is asked for, in which order; `executors`, `racing`, the optimum
testing       conformance checks for plugins
bisection     which commit made a solver worse
bundle        results for somebody else, and measured again
grading       submissions of a course: written in a sandbox, judged, raced, on one scoreboard
plugin        the names that authors of plugins import
results, api  the functions for notebooks: what is done with results; measure, solve, certify
cli           `commands`, `options`, `printing`
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nqbench.api import (
        bisect,
        certify,
        certify_formula,
        check,
        count,
        encode,
        grade,
        optimum,
        problems_of,
        race,
        read,
        reencode,
        run,
        solve,
        solve_all,
        use,
        watch,
    )
    from nqbench.bundle.replay import replay
    from nqbench.drawing.board import Board, Model, NoSolution, Solved, Used
    from nqbench.problems.base import Problem
    from nqbench.problems.families.cnf import Formula, formulas
    from nqbench.problems.families.cnfgen import cnfgen
    from nqbench.problems.from_python import constraints
    from nqbench.problems.queens import Queens
    from nqbench.results import Results, findings, plot, trends

    __version__: str

_FROM: Final = {
    "nqbench.api": (
        "bisect", "certify", "certify_formula", "check", "count", "encode", "grade", "optimum",
        "problems_of", "race", "read", "reencode", "run", "solve", "solve_all", "use", "watch",
    ),
    "nqbench.bundle.replay": ("replay",),
    "nqbench.drawing.board": ("Board", "Model", "NoSolution", "Solved", "Used"),
    "nqbench.problems.base": ("Problem",),
    "nqbench.problems.families.cnfgen": ("cnfgen",),
    "nqbench.problems.families.cnf": ("Formula", "formulas"),
    "nqbench.problems.from_python": ("constraints",),
    "nqbench.problems.queens": ("Queens",),
    "nqbench.results": ("Results", "findings", "plot", "trends"),
}  # fmt: skip
"""The modules of the names below. They are imported when a name is first used: `nqbench --help` and
the servers that measure need none of them.
"""

_OF_RESULTS: Final = ("bundle", "compare", "export", "report", "summary")
"""Commands that are methods of `Results`. They are looked for here as well."""

__all__ = [
    "Board",
    "Formula",
    "Model",
    "NoSolution",
    "Problem",
    "Queens",
    "Results",
    "Solved",
    "Used",
    "bisect",
    "certify",
    "certify_formula",
    "check",
    "cnfgen",
    "constraints",
    "count",
    "encode",
    "findings",
    "formulas",
    "grade",
    "optimum",
    "plot",
    "problems_of",
    "race",
    "read",
    "reencode",
    "replay",
    "run",
    "solve",
    "solve_all",
    "trends",
    "use",
    "watch",
]


def __getattr__(name: str) -> object:
    """Import a public name, or read the installed version, when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("nqbench")
    else:
        from importlib import import_module

        module = next((module for module, names in _FROM.items() if name in names), None)
        if module is None:
            hint = f": write nqbench.Results('results').{name}()" if name in _OF_RESULTS else ""
            raise AttributeError(f"module 'nqbench' has no attribute '{name}'{hint}")
        value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names and nothing else, for completion in notebooks."""
    return [*__all__, "__version__"]
