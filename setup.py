"""The compiled extension; everything else is in pyproject.toml, which has no stable way to say it.

It is optional: without a compiler, clauses are loaded through the bindings of the solvers. It uses
the limited API: one wheel serves Python 3.11 and later.
"""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "nqbench.backends._direct",
            ["nqbench/backends/_direct.c"],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
