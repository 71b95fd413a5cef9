"""Names for readers: what tables, plots and pages call an encoding or a backend.

Records and exports keep the true names. The names of a results folder are in its file `names.toml`,
which a campaign file with such a table fills.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nqbench.common import files
from nqbench.common.errors import InputError, Place, at
from nqbench.common.printable import printable
from nqbench.common.spelling import match_name
from nqbench.common.vocabulary import AS_IT_IS, COMBINATION

if TYPE_CHECKING:
    import polars as pl

Given = Mapping[str, str] | Sequence[str] | str
"""Names as users give them: by the true names, or as texts such as `exe:/opt/solver=MySolver`."""

TABLE: Final = "names"
"""The table in a campaign file, and in the file of a results folder."""

FILE: Final = f"{TABLE}.toml"
"""The file with the names of a results folder."""

_LARGEST_FILE: Final = 2**20
_LONGEST: Final = 100
_OF: Final = ("encoding", "backend")
_KIND: Final = "encoding or backend"
_BETWEEN: Final = COMBINATION.format("", "")
_QUOTED: Final = re.compile(r"'((?:[^']|'')*)'")


def known(records: "pl.DataFrame") -> list[str]:
    """The encodings and backends of records that can be named."""
    names = {name for column in _OF for name in records[column].unique()}
    return sorted(name for name in names if not name.startswith(AS_IT_IS))


def read(stated: Given, every: Collection[str]) -> dict[str, str]:
    """The names for readers that are given, by true names, which are of `every` one there is.

    Raises `InputError` for a name that there is not, with a suggestion, for one with two names for
    readers, and for what cannot be a name.
    """
    if isinstance(stated, Mapping):
        pairs = list(stated.items())
    else:
        pairs = [_split(text, every) for text in ([stated] if isinstance(stated, str) else stated)]
    names: dict[str, str] = {}
    for name, reader in pairs:
        check(name, reader)
        true = match_name(_KIND, name, every)
        if names.setdefault(true, reader.strip()) != reader.strip():
            raise InputError(
                f"'{true}' has two names, '{names[true]}' and '{reader.strip()}': leave out one"
            )
    return names


def _split(text: object, every: Collection[str]) -> tuple[str, str]:
    """The true name and the one for readers in a text. Both may have an equals sign, so the longest
    known name counts.
    """
    if not isinstance(text, str) or "=" not in text:
        raise InputError(f"{text!r:.60} is not a name: write NAME=NAME FOR READERS")
    ends = [match.start() for match in re.finditer("=", text)]
    true_ends = [end for end in ends if text[:end] in every]
    end = true_ends[-1] if true_ends else ends[-1]
    return text[:end], text[end + 1 :]


def check(name: object, reader: object) -> None:
    """Raise `InputError` for what cannot be a name for readers, or cannot have one."""
    if not isinstance(name, str) or not isinstance(reader, str):
        raise InputError(f"{name!r:.60} = {reader!r:.60}: both names must be text")
    bare = reader.strip()
    if name.startswith(AS_IT_IS):
        raise InputError(f"'{name}' means formulas as they are, and keeps its name")
    if not bare or bare != printable(bare) or len(bare) > _LONGEST:
        raise InputError(
            f"'{printable(bare):.60}' cannot be the name of '{name}': write 1 to {_LONGEST} "
            "printable characters"
        )
    if _BETWEEN in bare or bare.startswith(AS_IT_IS):
        raise InputError(
            f"'{bare}' cannot be the name of '{name}': '{_BETWEEN}' and '{AS_IT_IS}' have a meaning"
        )


def check_distinct(names: Mapping[str, str], every: Iterable[str]) -> None:
    """Raise `InputError` if two of these true names would look the same."""
    looks: dict[str, str] = {}
    for name in every:
        look = names.get(name, name)
        if (other := looks.setdefault(look, name)) != name:
            raise InputError(
                f"'{other}' and '{name}' would both be '{look}': give each a different name"
            )


def of(records: "pl.DataFrame", stated: Given | None, folder: Path | None = None) -> dict[str, str]:
    """The names for readers of what these records have: those given, and for others those of the
    folder. Raises `InputError` as `read` does.
    """
    every = known(records)
    own = read(stated, every) if stated is not None else {}
    of_folder = in_folder(folder) if folder else {}
    return {name: of_folder[name] for name in every if name in of_folder} | own


def named(records: "pl.DataFrame", names: Mapping[str, str]) -> "pl.DataFrame":
    """The records with names for readers. Raises `InputError` if two would look the same."""
    if not names:
        return records
    import polars as pl

    for column in _OF:
        check_distinct(names, sorted(records[column].unique()))
    return records.with_columns(pl.col(_OF).replace(names))


def in_condition(
    condition: str | None, names: Mapping[str, str], every: Collection[str]
) -> str | None:
    """A condition in SQL in which names for readers became the true ones."""
    true = {reader: name for name, reader in names.items() if reader not in every}

    def replaced(match: re.Match[str]) -> str:
        text = match[1].replace("''", "'")
        return "'{}'".format(true[text].replace("'", "''")) if text in true else match[0]

    return None if condition is None else _QUOTED.sub(replaced, condition)


def in_combination(text: str, names: Mapping[str, str]) -> str:
    """A combination, an encoding or a backend that somebody typed, with names for readers."""
    return _BETWEEN.join(names.get(part, part) for part in text.split(_BETWEEN))


def folder_of(source: Path) -> Path | None:
    """The results folder of a source; None for an export."""
    if source.is_dir():
        return source
    return source.parent if source.suffix == ".db" else None


def in_folder(folder: Path) -> dict[str, str]:
    """The names for readers of a results folder. Raises `InputError` for a file that has none."""
    path = folder / FILE
    if not path.exists():
        return {}
    try:
        document = tomllib.loads(files.content(path, _LARGEST_FILE).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(error), place=Place(str(path))) from error
    except RecursionError as error:
        raise InputError("nested too deeply", place=Place(str(path))) from error
    return in_table(document.get(TABLE), str(path))


def in_table(table: object, where: str) -> dict[str, str]:
    """The names in a table of TOML. Raises `InputError`, with the place, for anything else."""
    if not isinstance(table, dict):
        raise InputError(f'{where}: write [{TABLE}], and below it "NAME" = "NAME FOR READERS"')
    for name, reader in table.items():
        with at(where):
            check(name, reader)
    return {name: reader.strip() for name, reader in table.items()}


def keep(folder: Path, names: Mapping[str, str]) -> None:
    """Add names to those of a results folder. They replace earlier ones of the same things, and
    those that would look the same.
    """
    if not names:
        return
    earlier = in_folder(folder)
    merged = {n: look for n, look in earlier.items() if look not in names.values()} | dict(names)
    if merged == earlier:
        return
    lines = [f"{json.dumps(name)} = {json.dumps(reader)}\n" for name, reader in merged.items()]
    files.write(folder / FILE, f"[{TABLE}]\n{''.join(lines)}".encode())


def names_digest(names: Mapping[str, str]) -> str:
    """A digest of names, which is empty without names."""
    if not names:
        return ""
    return hashlib.blake2b(repr(sorted(names.items())).encode(), digest_size=8).hexdigest()
