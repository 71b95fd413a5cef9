"""The compiled extensions; everything else is in pyproject.toml, which has no stable way to say it.

They are optional. Without a compiler, clauses are loaded through the bindings of the solvers, and
proofs are checked by dratify. They use the limited API: one wheel serves Python 3.11 and later.
"""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            f"nqbench.{module.replace('/', '.')}",
            [f"nqbench/{module}.c"],
            py_limited_api=True,
            optional=True,
        )
        for module in ("backends/_direct", "evidence/_drat", "evidence/_lrat")
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
