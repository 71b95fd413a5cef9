"""Products that stand on nqbench. Nothing outside of this folder imports or names one: each is
found by its entry points in `pyproject.toml`, as those of anybody else are.

race       the best combination for a part of the cost
certify    whether an encoding or a formula has exactly the solutions
revisions  commits of a solver: built, measured, and which of them made it worse
trends     results over revisions, versions or days, and the steps in them
bundle     results for somebody else, and measured again
importing  results of other programs
dask       runs on the machines of a cluster
teaching   the steps of a search
grading    submissions of a course
sequences  queries that one solver answers one after another

In each, `__init__` declares the commands, `command` is what they do, and `functions` are those for
Python. Its tests are in `tests/addons/NAME`, and its page is `docs/addons/NAME.md`.
"""
