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
from nqbench.common.spelling import files_in, path_in
from nqbench.common.trees import regular_files
from nqbench.plugins.from_file import Carried, ComponentFile

FOLDER: Final = "components"
"""The folder with the files, in a results folder and in a bundle."""

_LARGEST_FILE: Final = 16 * 2**20
_PLACE: Final = re.compile(r"(.+)-([0-9a-f]{16})")

Named = Mapping[str, str]
"""The digests of files by the names of components in records, without parameters."""


def place_of(source: ComponentFile) -> str:
    """The folder of a file with components, relative to the folder of records."""
    return f"{FOLDER}/{source.file}-{source.digest}"


def keep(folder: Path, components: Iterable[Carried]) -> None:
    """Keep the files of these components in a results folder."""
    _write(folder, (component.source for component in components))


def copy(source: Path, target: Path) -> None:
    """Copy the files that one results folder keeps to another one."""
    _write(target, filter(None, map(_source_at, (source / FOLDER).glob("*-*"))))


def _write(folder: Path, sources: Iterable[ComponentFile]) -> None:
    for source in {source.digest: source for source in sources}.values():
        place = folder / place_of(source)
        for name, content in source.contents.items():
            path = place / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                files.write(path, content)


def kept(folder: Path, named: Named) -> list[Carried]:
    """Those of these components whose files are in a results folder, as they were."""
    return [
        Carried(name, source)
        for name, digest in named.items()
        for place in (folder / FOLDER).glob(f"*-{digest}")
        if (source := _source_at(place)) and _is_of(source, name)
    ]


def _source_at(place: Path) -> ComponentFile | None:
    """What a results folder keeps at this place; None if it is not what the digest says."""
    contents = {
        path.relative_to(place).as_posix(): files.content(path, _LARGEST_FILE)
        for path in regular_files(place)
        if path.suffix == ".py"
    }
    return _source(place.name, contents)


def among(contents: Mapping[str, bytes], named: Named) -> list[Carried]:
    """Those of these components whose files are among these contents, by their path."""
    by_place: dict[str, dict[str, bytes]] = {}
    for path, content in contents.items():
        folder, _, rest = path.partition("/")
        place, _, name = rest.partition("/")
        if folder == FOLDER and name:
            by_place.setdefault(place, {})[name] = content
    return [
        Carried(name, source)
        for name, digest in named.items()
        for place, of_place in by_place.items()
        if place.endswith(f"-{digest}")
        if (source := _source(place, of_place)) and _is_of(source, name)
    ]


def _source(place: str, contents: Mapping[str, bytes]) -> ComponentFile | None:
    match = _PLACE.fullmatch(place)
    source = ComponentFile(match[1], dict(contents)) if match else None
    return source if source and match and source.digest == match[2] else None


def _is_of(source: ComponentFile, name: str) -> bool:
    return name.startswith(f"{source.name}:")


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
    return [base for base in files_in(name) if path_in(base) is None]


def only(named: Named, names: Collection[str]) -> dict[str, str]:
    """Those of the digests whose component is in one of these names."""
    bases = {base for name in names for base in recorded_files(name)}
    return {base: digest for base, digest in named.items() if base in bases}
