"""Commits of a solver's repository: named, checked out, built once, and kept.

repository  what git says of commits, and a copy of one beside the repository
spec        the name of a backend with a commit, such as `git:../cadical@rel-2.0`, and several
recipe      how a solver is built, and which program results: `nqbench-build.toml`
build       a built commit, kept by commit, recipe and compiler
"""
