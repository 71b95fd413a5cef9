"""What distributions have installed, and the shell command that installs what is missing."""

import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Build:
    """What pip needs to compile a distribution: the Debian package of the compiler, the
    `sysconfig` variable that names the compiler, and flags for it.
    """

    package: str = "gcc"
    variable: str = "CC"
    c_flags: str = ""

    @property
    def is_possible(self) -> bool:
        """Whether the compiler and the Python headers are installed."""
        compiler = (sysconfig.get_config_var(self.variable) or self.package).split()[0]
        headers = Path(sysconfig.get_path("include"), "Python.h")
        return shutil.which(compiler) is not None and headers.exists()


CPP = Build("g++", "CXX")
"""For a distribution in C++ that needs no flags."""


def command(*what: str, build: Build | None = None) -> str:
    """Return a shell command that installs distributions, or extras such as 'nqbench[dask]', for
    the running Python. If pip has to compile them and the compiler or the Python headers are
    missing, the command installs these first with apt, where there is one.
    """
    line = shlex.join([*_pip(), "install", *what])
    if build is None:
        return line
    if build.c_flags:
        line = f"CFLAGS={shlex.quote(build.c_flags)} {line}"
    if build.is_possible:
        return line
    if shutil.which("apt"):
        return f"apt install {build.package} python3-dev && {line}"
    return f"{line} (needs {build.package} and the Python headers)"


def script(name: str, distribution: str) -> str | None:
    """Return the path of a program that a distribution has installed, wherever it is; None if there
    is none.
    """
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    paths = [
        Path(str(file.locate())).resolve() for file in files if file.parts[-2:] == ("bin", name)
    ]
    return next((str(path) for path in paths if os.access(path, os.X_OK)), None)


def _pip() -> list[str]:
    """`pip` if it belongs to the running Python, as in an activated environment."""
    python = Path(sys.executable)
    found = shutil.which("pip")
    if found and Path(found) == python.with_name("pip"):
        return ["pip"]
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return [str(python), "-m", "pip"]
