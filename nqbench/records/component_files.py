"""The files of components that are from a file, beside the records that name them.

A results folder keeps the content of each file that measured, and a bundle has it. A record names a
component and the digest of its file. Nothing here is executed: whoever admits a file has permission
from the user.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from nqbench.common import files
from nqbench.common.spelling import ComponentName
from nqbench.common.trees import regular_files
from nqbench.plugins import from_file
from nqbench.plugins.from_file import Carried
from nqbench.plugins.source_tree import SourceTree

FOLDER: Final = "components"
"""The folder with the files, in a results folder and in a bundle."""

_LARGEST_FILE: Final = 16 * 2**20
_PLACE: Final = re.compile(r"(.+)-([0-9a-f]{16})")

Named = Mapping[str, str]
"""The digests of files by the names of components in records, without parameters."""


def place_of(source: SourceTree) -> str:
    """The folder of a file with components, relative to the folder of records."""
    return f"{FOLDER}/{source.main}-{source.digest}"


def keep(folder: Path, components: Iterable[Carried]) -> None:
    """Keep the files of these components in a results folder."""
    _write(folder, (component.source for component in components))


def copy(source: Path, target: Path) -> None:
    """Copy the files that one results folder keeps to another one."""
    _write(target, _trees(_contents(source, "*")).values())


def _write(folder: Path, sources: Iterable[SourceTree]) -> None:
    for source in sources:
        for name, content in source.files.items():
            path = folder / place_of(source) / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                files.write(path, content)


def kept(folder: Path, named: Named) -> list[Carried]:
    """The components, among these, whose files a results folder has kept, as they were then."""
    contents: dict[str, bytes] = {}
    for digest in set(named.values()):
        contents |= _contents(folder, digest)
    return among(contents, named)


def _contents(folder: Path, digest: str) -> dict[str, bytes]:
    """What a results folder keeps of files with such a digest, by the paths in it."""
    return {
        path.relative_to(folder).as_posix(): files.content(path, _LARGEST_FILE)
        for place in sorted(folder.glob(f"{FOLDER}/*-{digest}"))
        for path in regular_files(place)
        if path.suffix == ".py"
    }


def among(contents: Mapping[str, bytes], named: Named) -> list[Carried]:
    """The components, among these, whose files are among the contents, which go by their path."""
    trees = _trees(contents)
    return [
        Carried(name, trees[digest])
        for name, digest in named.items()
        if digest in trees and name.startswith(f"{trees[digest].name}:")
    ]


def _trees(contents: Mapping[str, bytes]) -> dict[str, SourceTree]:
    """The trees of these contents that are what their folder says, by their digests."""
    by_place: dict[str, dict[str, bytes]] = {}
    for path, content in contents.items():
        folder, _, rest = path.partition("/")
        place, _, name = rest.partition("/")
        if folder == FOLDER and name:
            by_place.setdefault(place, {})[name] = content
    trees: dict[str, SourceTree] = {}
    for place, of_place in by_place.items():
        if match := _PLACE.fullmatch(place):
            tree = SourceTree.of(match[1], of_place)
            if tree.digest == match[2]:
                trees[tree.digest] = tree
    return trees


def named_in(
    components: Iterable[tuple[str, str | None]], sources: Iterable[Mapping[str, str]] = ()
) -> dict[str, str]:
    """The digests of the files that records name: `components` are names with their versions, and
    `sources` are those of their environments, which have the digests of families.
    """
    named: dict[str, str] = {}
    for name, version in components:
        for base in recorded_files(name):
            file, _, own = base.partition(":")
            digests = re.findall(
                rf"(?:^|, ){re.escape(file)} ([0-9a-f]{{16}})(?=,|$)", version or ""
            )
            start = own.partition("@")[2]
            for digest in digests:
                if digest.startswith(start):
                    named[base] = digest
    for digest_by_key in sources:
        for key, digest in digest_by_key.items():
            if key.startswith("family ") and (bases := recorded_files(key.partition(" ")[2])):
                named[bases[0]] = digest
    return named


def recorded_files(name: str) -> list[str]:
    """The components from files in a name of a record, without parameters."""
    return [file.base for file in ComponentName.parse(name).files if not file.path]


def with_paths(name: str, version: str | None = None) -> str:
    """The name of a record as a command takes it, with the paths of files: as this process read
    them, or in the current folder, or where a results folder below it keeps them.
    """
    digests = named_in([(name, version)])
    for base in recorded_files(name):
        file, _, own = base.partition(":")
        place = f"{FOLDER}/{file}-{digests.get(base, '*')}/{file}"
        kept = (path for depth in ("*", "*/*") for path in sorted(Path().glob(f"{depth}/{place}")))
        is_here = Path(file).is_file()
        path = from_file.path_of(base) or (None if is_here else next(kept, None)) or f"./{file}"
        name = name.replace(base, f"{path}:{own.partition('@')[0]}", 1)
    return name


def only(named: Named, names: Collection[str]) -> dict[str, str]:
    """Those of the digests whose component is in one of these names."""
    bases = {base for name in names for base in recorded_files(name)}
    return {base: digest for base, digest in named.items() if base in bases}
