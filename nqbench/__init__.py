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

common        words and values: vocabulary, limits, errors, files, units; `machine`, this computer
clauses       the forms that solvers take: CNF and constraints in arrays, files; rewriting of CNF
isolate       a function in a process of its own, under limits
plugins       components by name, and what add-ons declare
problems      what is asked: items and bounds, rules, symmetry; `families`, one in each file
records       the row of a run, the store, formats
checking      what judges answers: behind a wall, with a core in C
encodings     one scheme in each file
backends      one library of solvers in each file or package
summary       from records to numbers and sentences
show          from numbers to what is read: `tables`, `plots`, `report`; `boards`
measure       one run: encoded, solved in a worker, judged; `implication`, of one formula by another
campaign      what is asked for, in which order; `executors`, the optimum
testing       conformance checks for plugins
plugin        the names that authors of plugins import
results, api  the functions for notebooks: what is done with results; measure and solve
cli           `commands`, `options`, `printing`, and `face`, which add-ons use
addons        what stands on all that, and what nothing above knows: see docs/addons/index.md
"""

from typing import Final

_FROM: Final = {
    "nqbench.api": (
        "check", "count", "encode", "optimum", "problems_of", "read", "reencode", "run", "solve",
        "solve_all", "solutions", "use",
    ),
    "nqbench.show.boards.board": ("Board", "Model", "NoSolution", "Solved", "Used"),
    "nqbench.problems.base": ("Problem",),
    "nqbench.problems.families.cnfgen": ("cnfgen",),
    "nqbench.problems.families.cnf": ("Formula", "formulas"),
    "nqbench.problems.from_python": ("constraints",),
    "nqbench.problems.queens": ("Queens",),
    "nqbench.results": ("Results", "findings", "plot"),
}  # fmt: skip
"""The public names by their modules, which are imported when a name is first used: `nqbench --help`
and the servers that measure need none of them. Add-ons declare further ones, by entry points in the
group `nqbench.functions`. `__init__.pyi` has all of them for type checkers: `tools/generate.py`
writes it.
"""

_OF_RESULTS: Final = ("export", "report", "summary")
"""Commands that are methods of `Results`. They are looked for here as well."""


def __getattr__(name: str) -> object:
    """Import a public name, or read the installed version, when it is first used."""
    if name == "__all__":
        return _public_names()
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("nqbench")
    elif module := next((module for module, names in _FROM.items() if name in names), None):
        from importlib import import_module

        value = getattr(import_module(module), name)
    else:
        value = _added(name)
    globals()[name] = value
    return value


def _added(name: str) -> object:
    """A function of an add-on."""
    from pathlib import Path

    if Path(__file__).with_name(name).is_dir():  # Python asks for a room before it imports it
        raise AttributeError(f"module 'nqbench' has not imported '{name}'")
    from nqbench.plugins.added_methods import added_methods
    from nqbench.plugins.declared import FUNCTIONS, declared

    if entry := declared(FUNCTIONS).get(name):
        return entry.load()
    is_method = not name.startswith("_") and name in (*_OF_RESULTS, *added_methods())
    hint = f": write nqbench.Results('results').{name}()" if is_method else ""
    raise AttributeError(f"module 'nqbench' has no attribute '{name}'{hint}")


def _public_names() -> list[str]:
    """The public names of the core and of installed add-ons, sorted."""
    from nqbench.plugins.declared import FUNCTIONS, declared

    added = (name for name in declared(FUNCTIONS) if "." not in name)
    return sorted({name for names in _FROM.values() for name in names}.union(added))


def __dir__() -> list[str]:
    """The public names and nothing else, for completion in notebooks."""
    return [*_public_names(), "__version__"]
