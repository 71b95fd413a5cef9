"""The plugins of a bundle: the files of encodings, backends and families that nqbench lacks.

They are data for whoever reads the bundle. `replay` executes none of them: who wants to measure
with a plugin reads its files and installs them, as the README says.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import chain
from pathlib import PurePosixPath
from typing import Final

import polars as pl

from nqbench.addons.bundle.archive import Content
from nqbench.common.machine.environment import Environment
from nqbench.common.spelling import ComponentName
from nqbench.common.units import counted
from nqbench.measure import source_files
from nqbench.plugins import loading

FOLDER: Final = "plugins"
"""The folder with a distribution in each of its folders."""

_GROUPS: Final = {
    "family": loading.FAMILIES,
    "encoding": loading.ENCODINGS,
    "backend": loading.BACKENDS,
}


@dataclass(frozen=True, slots=True)
class Carried:
    """The files of components by their name in the bundle, what a reader has to know about each as
    needed, those of which no files are here, and the names of distributions.
    """

    files: Mapping[str, Content]
    needed: Sequence[str]
    lacking: Sequence[str]
    distributions: Sequence[str] = ()


def carried(
    records: pl.DataFrame, environments: Iterable[Environment], *, with_files: bool = True
) -> Carried:
    """The plugins that these records were measured with. Their files come from this installation,
    as long as it still has the version that measured; without `with_files`, there are none.
    """
    recorded: dict[str, set[str]] = defaultdict(set)
    for environment in environments:
        for key, digest in environment.sources.items():
            recorded[key].add(digest)
    plugins: dict[str, _Plugin] = {}
    needed: list[str] = []
    lacking: list[str] = []
    for kind in _GROUPS:
        names_of = {text: ComponentName.parse(text).bases for text in records[kind].unique()}
        for name in sorted(set(chain.from_iterable(names_of.values()))):
            if ComponentName.parse(name).is_from_file:
                continue  # see `carried_files`
            digests = recorded.get(source_files.key(kind, name), set())
            if not digests and not _is_plugin(kind, name):
                continue
            texts = [text for text, names in names_of.items() if name in names]
            runs = counted(int(records[kind].is_in(texts).sum()), "run")
            installed = source_files.tree_of(kind, name) if with_files else None
            if installed is None or installed.digest not in digests:
                why = (
                    "its files are not here"
                    if installed is None
                    else "its files here were edited since"
                )
                why = why if with_files else "its files are not wanted in the bundle"
                lacking.append(f"the {kind} {name} of {runs} is a plugin, and {why}")
                continue
            entry = loading.entry_of(_GROUPS[kind], name)
            assert entry is not None
            owner = loading.owner(entry)
            plugin = plugins.setdefault(owner, _Plugin(owner, {}, defaultdict(dict)))
            plugin.files.update(installed.files)
            plugin.entries[_GROUPS[kind]][name] = entry.value
            needed.append(
                f"the {kind} {name} of {runs} is a plugin: its files are in "
                f"{FOLDER}/{plugin.folder}, with the digest {installed.digest}"
            )
    files = {
        name: content for plugin in plugins.values() for name, content in plugin.packed().items()
    }
    return Carried(files, needed, lacking, sorted(plugins))


def _is_plugin(kind: str, name: str) -> bool:
    """Whether a distribution here, other than nqbench, declares this component."""
    entry = loading.entry_of(_GROUPS[kind], name)
    return entry is not None and loading.owner(entry) != "nqbench"


@dataclass(frozen=True, slots=True)
class _Plugin:
    """A distribution: its name, its files by their path in it, and its entry points by group."""

    name: str
    files: dict[str, bytes]
    entries: dict[str, dict[str, str]]

    @property
    def folder(self) -> str:
        """The name of its folder, with letters that every archive can have."""
        return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in self.name)

    def packed(self) -> dict[str, Content]:
        """Its files by their name in the bundle, with what pip needs to install them."""
        place = f"{FOLDER}/{self.folder}"
        files: dict[str, Content] = {
            f"{place}/{name}": content for name, content in self.files.items()
        }
        return files | {f"{place}/pyproject.toml": self._project().encode()}

    def _project(self) -> str:
        """The metadata of the distribution, with the entry points of the components in use."""
        about = metadata.distribution(self.name)
        paths = [PurePosixPath(name) for name in sorted(self.files)]
        packages = sorted({".".join(path.parent.parts) for path in paths if path.parent.parts})
        alone = sorted(path.stem for path in paths if not path.parent.parts)
        lines = [
            "[build-system]",
            'requires = ["setuptools>=61"]',
            'build-backend = "setuptools.build_meta"',
            "",
            "[project]",
            f"name = {json.dumps(self.name)}",
            f"version = {json.dumps(about.version)}",
            f"dependencies = {json.dumps(about.requires or [])}",
        ]
        for group, values in sorted(self.entries.items()):
            lines += ["", f'[project.entry-points."{group}"]']
            lines += [f"{json.dumps(name)} = {json.dumps(values[name])}" for name in sorted(values)]
        lines += [
            "",
            "[tool.setuptools]",
            f"packages = {json.dumps(packages)}",
            f"py-modules = {json.dumps(alone)}",
            "",
            "[tool.setuptools.package-data]",
            '"*" = ["*.so"]',
        ]
        return "\n".join(lines) + "\n"
