"""The compiled extensions; everything else is in pyproject.toml, which has no stable way to say it.

They are optional. Without a compiler, clauses are loaded through the bindings of the solvers, and
proofs are checked by dratify. They use the limited API: one wheel serves Python 3.11 and later.
"""

from pathlib import Path

from setuptools import Extension, setup


def sources(folder: str) -> list[str]:
    """The C files in a folder."""
    return sorted(map(str, Path(folder).glob("*.c")))


SOURCES = {
    "nqbench.backends._direct": ["nqbench/backends/_direct.c"],
    "nqbench.checking._core": sources("nqbench/checking/core"),
    "nqbench.checking._elaborate": sources("nqbench/checking/elaborate"),
}

setup(
    ext_modules=[
        Extension(
            name,
            files,
            # These follow the caller's CFLAGS, which setuptools takes in place of Python's own.
            extra_compile_args=["-O3", "-fvisibility=hidden"],
            define_macros=[("NDEBUG", None)],
            py_limited_api=True,
            optional=True,
        )
        for name, files in SOURCES.items()
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
