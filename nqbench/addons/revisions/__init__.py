"""Backends that are built from commits of a repository, and the commit that made one worse.

repository  what git says of commits, and a copy of one beside the repository
spec        the name of a backend with a commit, such as `git:../cadical@rel-2.0`, and several
recipe      how a solver is built, and which program results: `nqbench-build.toml`
build       a built commit, kept by commit, recipe and compiler
building    builds the commits that a campaign names
list_builds what is in the cache of builds
bisection   which commit made a solver worse
"""

from typing import Final

from nqbench.plugins.declared import Command

BISECT: Final = Command(
    "Measure",
    "nqbench.addons.revisions.command:bisect",
    "Find the commit that made a solver worse.",
)

LIST_BUILDS: Final = Command(
    "list",
    "nqbench.addons.revisions.list_builds:builds",
    "List builds of commits, or remove some.",
)
