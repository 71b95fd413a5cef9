"""Campaigns in a TOML file, for campaigns that the command line cannot express.

    repeat = 3
    time-limit = "10s"

    [[campaign]]
    n = "8..64..8"
    encoding = ["pairwise", "product"]
    backend = ["glucose4", "cadical195"]

    [[campaign]]
    board = ["boards/*.param"]
    diagonals = "n"
    backend = ["cp-sat"]
    time-limit = "60s"

    [[campaign]]
    family = "completion"
    n = "20"
    density = "0.1..0.5..0.1"
    instances = 20

    [[campaign]]
    cnf = ["formulas"]
    cnfgen = ["php 8 7", "tseitin 20 3"]
    backend = ["glucose4", "cadical195"]

    [names]
    "glucose4" = "Glucose"

Settings above the first `[[campaign]]` apply to every campaign that does not override them. The
table `names` has names for readers: what tables, plots and pages call an encoding or a backend.
"""

import contextlib
import itertools
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import msgspec

from nqbench.backends import permission
from nqbench.backends.base import Backend
from nqbench.campaign.combinations import as_encoding
from nqbench.campaign.grid import Campaign
from nqbench.campaign.ranges import parse_densities, parse_diagonals, parse_range
from nqbench.campaign.workload import Workload
from nqbench.common import files, parsing, trees
from nqbench.common.errors import InputError, Place, UnavailableError, at
from nqbench.common.parsing import Kind
from nqbench.common.spelling import OTHER_WORDS, ComponentName, nearest, says_all
from nqbench.encodings.base import Encoding
from nqbench.plugins import lists
from nqbench.plugins.name_rules import rules_of
from nqbench.problems.base import Problem
from nqbench.records import names, settings
from nqbench.records.measures import Measure
from nqbench.records.record import Run
from nqbench.records.runs import Runs
from nqbench.records.settings import OF_CAMPAIGNS, Setting

LARGEST_FILE: Final = 4 * 2**20
"""The largest file, in bytes."""

_HEADING: Final = "campaign"
_KNOWN: Final[dict[str, Callable[[str], object]]] = {
    "backend": Backend.named,
    "amo": lambda name: Encoding.named(as_encoding(name)),
    "encoding": Encoding.named,
    "measure": Measure.parse,
}
_AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
T = TypeVar("T")


class _Workload(msgspec.Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True):
    """The problems of one campaign."""

    n: str | None = None
    family: parsing.NamesInFile | None = None
    density: str | None = None
    instances: _AtLeastOne | None = None
    board: list[str] = []
    file: list[str] = []
    diagonals: str | int | None = None
    cnf: list[str] = []
    cnfgen: list[str] = []


_Entry: Final = msgspec.defstruct(
    "_Entry",
    [
        (setting.name.replace("-", "_"), setting.kind.in_file | None, None)
        for setting in OF_CAMPAIGNS
    ],
    bases=(_Workload,),
    rename="kebab",
    forbid_unknown_fields=True,
    kw_only=True,
)
"""One campaign as written in the file."""


Permit = Callable[[Sequence[str]], object]
"""Raises `InputError` if one of these families may not be used."""


def read(path: Path, permit: Permit | None = None) -> list[Campaign]:
    """Read the campaigns in a file. Paths of boards, formulas and components are relative to its
    folder. If
    `permit` is given, it sees the families before they make problems.

    Raises an `InputError` with the file, the line, and what was expected.
    """
    text, content = _parsed(path)
    content.pop(names.TABLE, None)
    entries = content.pop(_HEADING, None)
    if not (isinstance(entries, list) and entries and all(isinstance(e, dict) for e in entries)):
        raise InputError(f"no campaign: write [[{_HEADING}]] above each", place=Place(str(path)))
    return [
        _Reader(path, text, number, permit).campaign(content, entry)
        for number, entry in enumerate(entries)
    ]


def names_in(path: Path, runs: Iterable[Run]) -> dict[str, str]:
    """The names for readers in a file, by the true names: of the encodings and backends of these
    runs. One of what only the file measures is left out: options may replace its encodings and
    backends.

    Raises an `InputError` as `read` does, for a name of nothing, and if two things would look the
    same.
    """
    _, content = _parsed(path)
    looks = names.in_table(content.pop(names.TABLE, {}), str(path))
    if not looks:
        return {}
    pairs = {(run.encoding, run.backend) for run in Runs.of(runs).kinds}
    columns = [sorted(set(column)) for column in zip(*pairs, strict=True)]
    every = {name for column in columns for name in column}
    of_runs = {
        name: look for name, look in looks.items() if name not in _names_measured(content) - every
    }
    with at(path, field=f"[{names.TABLE}]"):
        by_true_name = names.read(of_runs, sorted(every))
        for column in columns:
            names.check_distinct(by_true_name, column)
    return by_true_name


def _names_measured(content: Mapping[str, Any]) -> set[str]:
    """The encodings and backends that a file names."""
    lists = (
        table.get(key) or ()
        for table in (content, *content.get(_HEADING, ()))
        for key in ("encoding", "backend")
    )
    return {name.strip() for texts in lists for text in texts for name in text.split(",")}


def _parsed(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = files.content(path, LARGEST_FILE).decode()
        return text, tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(error), place=Place(str(path))) from error
    except RecursionError as error:
        raise InputError("nested too deeply", place=Place(str(path))) from error


def permitted(
    path: Path,
    stated: Collection[str],
    allowed: Collection[str],
    ask: permission.Ask | None = None,
) -> list[Campaign]:
    """The campaigns in a file, with a backend for each commit that they name. Raises `InputError`
    if they name programs or options that are not `allowed`, unless the user has `stated` others in
    their place.
    """

    def permit(names: Sequence[str]) -> None:
        nonlocal allowed  # what the user permits now holds for the rest of the file
        allowed = permission.require(names, allowed, str(path), ask)

    campaigns = read(path, permit)
    component_names = [
        name
        for kind in ("backends", "encodings", "amo")
        if kind not in stated
        for campaign in campaigns
        for name in getattr(campaign, kind) or ()
    ]
    permit(component_names)
    if "backends" in stated:
        return campaigns
    with at(path):
        return [
            replace(
                campaign, backends=campaign.backends and lists.BACKENDS.expand(campaign.backends)
            )
            for campaign in campaigns
        ]


class _Reader:
    """Reads the campaign with this number, counted from 0."""

    def __init__(self, path: Path, text: str, number: int, permit: Permit | None) -> None:
        self._path = path
        self._permit = permit
        self._lines = text.splitlines()
        self._number = number

    def campaign(self, common: dict[str, Any], own: dict[str, Any]) -> Campaign:
        try:
            entry: Any = msgspec.convert(common | own, _Entry)
        except msgspec.ValidationError as error:
            match = re.search(r"`\$\.([\w-]+)|unknown field `([\w-]+)`", str(error))
            key = (match[1] or match[2]) if match else _HEADING
            reason = str(error).partition(" - at")[0].replace(" | null", "")
            if match and match[2]:
                reason = f"unknown key '{key}'{_meant(key)}"
            raise self._error(
                key, f"{match[1]}: {reason}" if match and match[1] else reason
            ) from error
        stated = settings.stated(
            {setting.sets: self._value(setting, entry) for setting in OF_CAMPAIGNS}
        )
        problems, left_out = self._problems(entry, stated.get("seed", Campaign.seed))
        with self._at("repeat"):
            return Campaign(problems=problems, left_out=left_out).with_settings(stated)

    def _value(self, setting: Setting, entry: _Workload) -> Any:
        """What the entry says about a setting; None if nothing."""
        value = getattr(entry, setting.name.replace("-", "_"))
        if value is None:
            return None
        if setting.kind.several:
            texts: list[str] = self._read(setting.name, setting.kind, value)
            if setting.kind.known:
                texts = self._below_folder(texts)
            for text in texts:
                # Before it has permission, no file is imported, and no repository is looked at.
                if setting.kind.known and (
                    says_all([text]) or ComponentName.parse(text).files or rules_of(text)
                ):
                    continue
                # For a component that exists but does not work here, its runs report why.
                with contextlib.suppress(UnavailableError):
                    self._parsed(setting.name, _KNOWN[setting.name], text)
            return texts
        if not setting.kind.has_units:
            return value
        return self._parsed(setting.name, setting.kind.parse, str(value))

    def _below_folder(self, names: Iterable[str]) -> list[str]:
        return [ComponentName.parse(name).below(self._path.parent).text for name in names]

    def _read(self, key: str, kind: Kind, value: Any) -> Any:
        return self._parsed(key, lambda content: kind.read(key, content), value)

    def _problems(self, entry: _Workload, seed: int) -> tuple[list[Problem], list[str]]:
        diagonals = None if entry.diagonals is None else str(entry.diagonals)
        instances = {} if entry.instances is None else {"instances": entry.instances}
        families = []
        if entry.family and not (entry.cnf or entry.cnfgen):  # it may be for other campaigns
            families = self._read("family", lists.FAMILIES, entry.family)
            families = self._below_folder(families)
            if self._permit is not None:
                self._permit(families)
            else:
                from_files = [name for name in families if ComponentName.parse(name).files]
                permission.require(from_files, (), str(self._path))
        workload = Workload(
            **instances,
            seed=seed,
            families=families,
            sizes=self._optional("n", parse_range, entry.n) or [],
            densities=self._optional("density", parse_densities, entry.density) or [],
            files=[*self._files("board", entry.board), *self._files("file", entry.file)],
            formulas=self._files("cnf", entry.cnf),
            cnfgen=entry.cnfgen,
            diagonals=self._optional("diagonals", parse_diagonals, diagonals),
        )
        if not workload.asks:
            raise self._error(_HEADING, "needs n, file, board, cnf or cnfgen")
        paths = [key for key in ("board", "file", "cnf", "cnfgen") if getattr(entry, key)]
        with self._at(paths[0] if paths else "family"):
            return workload.problems()

    def _files(self, key: str, patterns: list[str]) -> list[Path]:
        folder = self._path.parent
        paths = []
        for pattern in patterns:
            with self._at(key), at(f"'{pattern}'"):
                matches = trees.matching(pattern, folder)
            if not matches:
                raise self._error(key, f"no file matches '{pattern}'")
            paths += matches
        return paths

    def _optional(self, key: str, parse: Callable[[str], T], text: str | None) -> T | None:
        return None if text is None else self._parsed(key, parse, text)

    def _parsed(self, key: str, parse: Callable[[Any], T], text: Any) -> T:
        with self._at(key):
            return parse(text)

    def _error(self, key: str, message: str) -> InputError:
        return InputError(message, place=Place(str(self._path), self._line_of(key)))

    def _at(self, key: str) -> AbstractContextManager[None]:
        return at(self._path, line=self._line_of(key))

    def _line_of(self, key: str) -> int:
        """The line of a key in this campaign, or above the first campaign, or of the heading."""
        headings = [i for i, line in enumerate(self._lines) if _is_heading(line)]
        if self._number >= len(headings):
            return 1  # the campaigns are written in another TOML syntax
        bounds: list[int] = [*headings, len(self._lines)]
        first, end = bounds[self._number], bounds[self._number + 1]
        for line in itertools.chain(range(first, end), range(headings[0])):
            if re.match(rf"\s*{re.escape(key)}\s*=", self._lines[line]):
                return line + 1
        return first + 1


def _meant(key: str) -> str:
    """A suggestion for a key that there is not; empty if none is near."""
    keys = [field.encode_name for field in msgspec.structs.fields(_Entry)]
    suggestion = OTHER_WORDS.get(key.lower().replace("_", "-"))
    suggestion = suggestion if suggestion in keys else nearest(key, keys)
    return f": did you mean '{suggestion}'?" if suggestion else ""


def _is_heading(line: str) -> bool:
    return re.match(rf"\s*\[\[\s*{_HEADING}\s*\]\]", line) is not None
