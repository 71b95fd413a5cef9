"""How a solver is built from its repository, and which program results: `nqbench-build.toml`.

    [cadical]
    build = "./configure && make -j2"
    program = "build/cadical"

A table has the name of the repository's folder. `build` is a command of the shell, executed in a
folder with the files of the commit. `program` is a path in that folder, or a program on the `PATH`.
Everywhere, `{tree}` is that folder, and `{here}` the folder of this file. `prints` names the
program whose statistics are printed, if the name of the program does not say it.
"""

import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from nqbench.addons.revisions.repository import Repository
from nqbench.common import files
from nqbench.common.errors import InputError, Place
from nqbench.common.limits import Limits, parse_duration, parse_size
from nqbench.common.printable import fill

FILE: Final = "nqbench-build.toml"
"""Looked for in the current folder, and then in the repository's."""

_LARGEST: Final = 2**20
_TREE, _HERE = "{tree}", "{here}"


class _Table(msgspec.Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True):
    """A table as it is written."""

    program: str
    build: str = ""
    arguments: str | list[str] = ""
    prints: str | None = None
    compiler: str | None = None
    time_limit: str = "30m"
    memory_limit: str = "16GiB"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to build a commit, and which command results. `folder` is that of the file, `compiler`
    the program that decides what is built; None for the usual ones.
    """

    build: str
    program: str
    arguments: tuple[str, ...]
    prints: str
    compiler: str | None
    limits: Limits
    folder: Path

    def build_command(self, tree: Path) -> str:
        """The command that builds in this folder."""
        return self.build.replace(_TREE, shlex.quote(str(tree)))

    def command(self, tree: Path) -> list[str]:
        """The command with the program that was built in this folder."""
        program, *arguments = (
            fill(word, {_TREE: str(tree), _HERE: str(self.folder)})
            for word in (self.program, *self.arguments)
        )
        return [str(tree / program) if "/" in program else program, *arguments]


def recipe_of(repository: Repository) -> Recipe:
    """The recipe of a repository. Raises `InputError` if there is none, or for a wrong one."""
    for folder in (Path.cwd(), repository.path):
        if (path := folder / FILE).is_file():
            return _recipe(path, repository.name)
    raise InputError(
        f"nothing says how to build {repository.name}: write {FILE} here or in {repository.path}, "
        f'with [{repository.name}], build = "make" and program = "PATH"'
    )


def _recipe(path: Path, name: str) -> Recipe:
    try:
        tables: Mapping[str, Any] = tomllib.loads(files.decoded(files.content(path, _LARGEST)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(error), place=Place(str(path))) from error
    except RecursionError as error:
        raise InputError("nested too deeply", place=Place(str(path))) from error
    if name not in tables:
        others = ", ".join(f"[{other}]" for other in tables) or "no table"
        raise InputError(f"{path} has {others}: add [{name}] with build and program")
    try:
        table = msgspec.convert(tables[name], _Table)
        arguments = table.arguments
        words = shlex.split(arguments) if isinstance(arguments, str) else arguments
        limits = Limits(
            time_s=parse_duration(table.time_limit), memory_bytes=parse_size(table.memory_limit)
        )
    except (msgspec.ValidationError, InputError, ValueError) as error:
        raise InputError(f"{path}, [{name}]: {error}") from error
    if not table.program.strip():
        raise InputError(f"{path}, [{name}]: program is empty: write the path of the program")
    return Recipe(
        build=table.build.replace(_HERE, shlex.quote(str(path.parent.absolute()))),
        program=table.program,
        arguments=tuple(words),
        prints=table.prints or Path(table.program).name,
        compiler=table.compiler,
        limits=limits,
        folder=path.parent.absolute(),
    )
