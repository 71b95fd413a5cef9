"""What distributions have installed, and the shell command that installs what is missing."""

import importlib.util
import os
import shlex
import shutil
import sys
import sysconfig
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What pip needs to compile a distribution: the Debian package of the compiler, the
    `sysconfig` variable that names the compiler, and flags for it.

    The flags are passed in CPPFLAGS, which setuptools adds to Python's own, and these have only
    -O2 on some systems. In CFLAGS, they would replace Python's own flags.
    """

    package: str = "gcc"
    variable: str = "CC"
    flags: str = "-O3"

    @property
    def is_possible(self) -> bool:
        """Whether the compiler and the Python headers are installed."""
        compiler = (sysconfig.get_config_var(self.variable) or self.package).split()[0]
        headers = Path(sysconfig.get_path("include"), "Python.h")
        return shutil.which(compiler) is not None and headers.exists()


CPP = Toolchain("g++", "CXX")
"""For a distribution in C++."""


def command(*requirements: str, toolchain: Toolchain | None = None) -> str:
    """Return a shell command that installs distributions, or extras such as 'nqbench[pumpkin]', for
    the running Python. If pip has to compile them and the compiler or the Python headers are
    missing, the command installs these first with apt, where there is one.
    """
    line = shlex.join([*_installer(), *requirements])
    if toolchain is None:
        return line
    line = f"CPPFLAGS={shlex.quote(toolchain.flags)} {line}"
    if toolchain.is_possible:
        return line
    if shutil.which("apt"):
        return f"apt install {toolchain.package} python3-dev && {line}"
    return f"{line} (needs {toolchain.package} and the Python headers)"


def compiled(module: str) -> Path | None:
    """Return the shared object of an extension module, without importing it; None if there is no
    such module, or if it is written in Python.
    """
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        return None
    path = Path(spec.origin) if spec and spec.origin else None
    return path if path and path.suffix == ".so" else None


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


def _installer() -> list[str]:
    """`pip install` if that pip belongs to the running Python, as in an activated environment. An
    environment that uv made has no pip, and is named to uv.
    """
    python = Path(sys.executable)
    pip = shutil.which("pip")
    if pip and Path(pip) == python.with_name("pip"):
        return ["pip", "install"]
    if importlib.util.find_spec("pip") is None and shutil.which("uv"):
        return ["uv", "pip", "install", "--python", str(python)]
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return [str(python), "-m", "pip", "install"]
