"""The command that installs what is missing here."""

import shlex
import shutil
import sys
import sysconfig
from pathlib import Path


def command(*what: str, c_flags: str = "") -> str:
    """A line for the shell that installs distributions, or extras as 'nqbench[dask]', for the
    Python that runs this.

    `c_flags` is for what pip has to compile, with these CFLAGS: the line also installs the C
    compiler and the headers of Python if these are missing, where apt can.
    """
    words = [*_pip(), "install", *what]
    line = shlex.join(words)
    if not c_flags:
        return line
    line = f"CFLAGS={shlex.quote(c_flags)} {line}"
    if _can_compile():
        return line
    if shutil.which("apt"):
        return f"apt install gcc libc6-dev python3-dev && {line}"
    return f"{line} (needs a C compiler and the headers of Python)"


def _pip() -> list[str]:
    """`pip` if that is the one of this Python, as in an activated environment."""
    beside = Path(sys.executable).with_name("pip")
    found = shutil.which("pip")
    if found and Path(found) == beside:
        return ["pip"]
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    return [str(python), "-m", "pip"]


def _can_compile() -> bool:
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return shutil.which(compiler) is not None and headers.exists()
