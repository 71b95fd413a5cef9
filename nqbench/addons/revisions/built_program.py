"""A program that is built from a commit: `git:../cadical@rel-2.0`, and how: `nqbench-build.toml`.

It is like a program at a path, but for its version: the commit, its date, and a digest of what was
built from it. If a shared library results (`.so`), it is called by IPASIR as `ipasir:PATH` is. A
commit is built when its version is first asked for. One that cannot be built is unavailable, and
the reason has the last lines of the log.
"""

import shutil
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from nqbench.addons.revisions.build import Build
from nqbench.addons.revisions.recipe import recipe_of
from nqbench.addons.revisions.recorded import write_version
from nqbench.addons.revisions.spec import EXAMPLE, Spec
from nqbench.backends.base import Backend, Capabilities
from nqbench.backends.ipasir import IPASIR
from nqbench.backends.program.backend import Executable
from nqbench.backends.snippet import Snippet
from nqbench.clauses.cnf import CNF
from nqbench.clauses.constraints import Formula
from nqbench.common.errors import UnavailableError
from nqbench.common.trees import walk
from nqbench.common.vocabulary import Form
from nqbench.plugins import programs
from nqbench.plugins.known_programs import UNKNOWN, Program, known

_SLACK_S: Final = 60.0


class BuiltProgram(Executable):
    """A program that is built from a commit of a repository of the user, with arguments as in
    `git:../cadical@rel-2.0 --sat`.
    """

    def __init__(self, name: str) -> None:
        Backend.__init__(self, "git")
        self._words, self._known, self._build = [], UNKNOWN, None
        self.needs_path = name.partition(":")[2].strip() == ""
        if self.needs_path:
            return
        spec = Spec.read(name)
        repository = spec.repository
        commit = repository.commit(spec.revisions)
        self.name = spec.of(commit)
        recipe = recipe_of(repository)
        self._build = Build(repository, commit, recipe)
        arguments = programs.split_command(f"exe:x {spec.arguments}", EXAMPLE)[1:]
        self.prints = recipe.prints
        printing = known(recipe.prints)
        command = self._build.command
        if {*printing.arguments}.isdisjoint([*command, *arguments]):
            command += printing.arguments
        self._words = [*command, *arguments]
        self._known = Program(limits=printing.limits)
        self.probe_s = recipe.limits.time_s + _SLACK_S if self._build.is_waiting else 10.0
        self.capabilities = Capabilities(
            proof=self._writes_proofs,
            counters=printing.statistics is not None,
            work_limits=tuple(printing.limits),
        )
        if self._library:
            self.capabilities = IPASIR.capabilities

    @property
    def _library(self) -> IPASIR | None:
        """What is built, if it is a library with IPASIR and no program."""
        is_library = bool(self._words) and self._words[0].endswith(".so")
        return IPASIR(f"ipasir:{self._words[0]}") if is_library else None

    @property
    def to_build(self) -> Build | None:
        """The build that has to be made first; None if it was made."""
        build = self._build
        return build if build is not None and build.is_waiting else None

    @cached_property
    def version(self) -> str | None:
        """The commit, as `write_version` says, which takes as long as the build if there is none
        yet.
        """
        if self._build is None:
            return None
        commit, failure = self._build.commit, self._build.failure
        path = None if failure else shutil.which(self._words[0])
        digests = " ".join(
            [programs.digests(path, self._words[1:]), *map(programs.digest, self._modules())]
            if path
            else ["not built"]
        )
        repository = self._build.repository
        place, before = repository.place(commit), repository.before(commit)
        return write_version(repository.name, commit, place, before, digests)

    @property
    def binaries(self) -> list[Path]:
        """The program, and the modules of a binding."""
        return [*super().binaries, *self._modules()]

    def _modules(self) -> list[Path]:
        """The compiled modules in folders of the build that are among the arguments."""
        folders = [Path(word) for word in self._words[1:]] if self._build else []
        tree = self._build.tree if self._build else None
        return [
            file
            for folder in folders
            if folder.is_dir() and tree in folder.parents
            for file in sorted(folder / entry.path for entry in walk(folder))
            if file.suffix == ".so" and file.is_file()
        ]

    def probe(self) -> None:
        if self._build is None:
            raise UnavailableError(f"name a repository and a revision: {EXAMPLE}")
        if failure := self._build.failure:
            raise UnavailableError(failure)
        if library := self._library:
            library.probe()
        else:
            super().probe()

    def load(self, formula: Formula) -> Any:
        if (library := self._library) and isinstance(formula, CNF):
            return library.load(formula)
        return super().load(formula)

    def command(self, file: str) -> list[str]:
        return [] if self._library else super().command(file)

    def snippet(self, form: Form) -> Snippet | None:
        return None if self._library else super().snippet(form)
