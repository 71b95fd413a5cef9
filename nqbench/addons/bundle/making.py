"""Makes a bundle from a store: its records, and what it takes to measure them again."""

import hashlib
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl

from nqbench import summary
from nqbench.addons.bundle import archive, crate, packed_problems, readme
from nqbench.addons.bundle.archive import Content
from nqbench.addons.bundle.carried_files import carried_files
from nqbench.addons.bundle.carried_plugins import FOLDER as PLUGINS
from nqbench.addons.bundle.carried_plugins import Carried, carried
from nqbench.addons.bundle.license import License
from nqbench.addons.bundle.packed_problems import Packed, formula_name
from nqbench.addons.bundle.problem_lookup import Found, find_problems
from nqbench.addons.bundle.reading import CONDITIONS, opened
from nqbench.backends.permission import need_permission
from nqbench.common import files
from nqbench.common.csv_text import to_csv
from nqbench.common.errors import InputError
from nqbench.common.machine.environment import Environment, Session
from nqbench.common.printable import printable
from nqbench.common.units import counted
from nqbench.problems.base import Problem
from nqbench.problems.families.cnf import Formula
from nqbench.records import formats
from nqbench.records.component_files import FOLDER as COMPONENTS
from nqbench.records.frame import told_apart
from nqbench.records.reading_order import SORTED_BY
from nqbench.records.sources import RECORDS
from nqbench.show.report import page
from nqbench.summary import description
from nqbench.summary.findings import findings
from nqbench.summary.findings.cautions import Output, cautions
from nqbench.summary.observed import MEASURED_HERE

CAMPAIGN: Final = "campaign.toml"
REQUIREMENTS: Final = "requirements.txt"
SUMMARY: Final = "tables/summary.csv"

_LARGEST_CAMPAIGN: Final = 4 * 2**20
_MOST_NAMED: Final = 3
_NBSP: Final = "\N{NO-BREAK SPACE}"

MEANINGS: Final = {
    RECORDS: "a line for each run; `nqbench summary --results records.csv` reads it",
    CONDITIONS: "the machines, their software, and the commands that measured",
    packed_problems.FILE: "each problem, with the ids of its runs",
    packed_problems.FORMULAS: "the formulas that were in files, by their digest",
    COMPONENTS: "the files of components, to be read before they are allowed",
    PLUGINS: "the files of plugins, to be read before they are installed",
    CAMPAIGN: "the campaign file; `nqbench run campaign.toml` measures it anew",
    REQUIREMENTS: "the exact versions of nqbench and of the solvers",
    "tables": "the summary of the records",
    "plots": "plots of the records",
    readme.FILE: "this page",
    crate.FILE: "the metadata, as an RO-Crate",
    archive.CHECKSUMS: "the checksums of all other files",
}
"""What the files of a bundle are, by name or by folder."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a bundle is made of: records, the conditions in which they were measured, a title, the
    problems that somebody named, and if there are any, the path of a campaign file, the license,
    and the results folder.
    """

    records: pl.DataFrame
    environments: Sequence[Environment]
    sessions: Sequence[Session]
    title: str
    problems: Iterable[Problem]
    campaign: Path | None
    license: License | None
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Bundled:
    """A bundle that was written: its path and SHA-256 checksum, its number of records, and how many
    of these runs can be measured again; `notes` say why others cannot, and `plugins` which plugins
    that takes.
    """

    path: Path
    sha256: str
    records: int
    runs: int
    notes: tuple[str, ...]
    plugins: tuple[str, ...] = ()

    def __str__(self) -> str:
        again = f"{self.runs} of them can be measured again"
        return f"{self.path}: {counted(self.records, 'record')}, {again}"


def make(
    source: Source, path: Path, *, plots: bool, allow_missing: bool, plugins: bool = True
) -> Bundled:
    """Write a bundle whole or not at all, after it was read as a stranger would read it. Without
    `plugins`, the files of plugins are left out. Raises `InputError` if the problem of a run has to
    be named, unless `allow_missing`.
    """
    which = find_problems(source.records.rows(named=True), source.problems)
    if which.missing and not allow_missing:
        raise InputError(_explain_missing(which.missing))
    carried_plugins = carried(source.records, _environments(source), with_files=plugins)
    of_files = carried_files(
        source.records, _environments(source), source.folder, with_files=plugins
    )
    with tempfile.TemporaryDirectory(prefix="nqbench-") as scratch:
        draft = Path(scratch) / "bundle.zip"
        archive.write(
            draft,
            _contents(source, which, carried_plugins, of_files, Path(scratch) if plots else None),
        )
        with opened(draft) as bundle:
            runs = len(bundle.runs)
        content = draft.read_bytes()
    files.write(path, content)
    sha256 = hashlib.sha256(content).hexdigest()
    needs = (
        *(*carried_plugins.needed, *carried_plugins.lacking),
        *(*of_files.needed, *of_files.lacking),
    )
    return Bundled(path, sha256, len(source.records), runs, tuple(_explain_left_out(which)), needs)


def _environments(source: Source) -> list[Environment]:
    """The environments of the records."""
    used_ids = set(source.records["environment_id"])
    of_records = [environment for environment in source.environments if environment.id in used_ids]
    return of_records or list(source.environments)  # early ones have another id there


def _explain_missing(runs: Mapping[str, Sequence[str]]) -> str:
    """What to do about problems that have to be named, in words."""
    names = [*sorted(runs)[:_MOST_NAMED], *(["others"] if len(runs) > _MOST_NAMED else [])]
    return (
        f"{counted(sum(map(len, runs.values())), 'run')} cannot be measured again without their "
        f"problems, which are in files: {printable(', '.join(names))}. Name these files as for "
        "`nqbench run`, or add `allow_missing=True`"
    )


def _explain_left_out(which: Found) -> list[str]:
    """Why some runs cannot be measured again, as sentences."""
    missing_ids = [run_id for ids in which.missing.values() for run_id in ids]
    reasons = which.carried | (
        {"their problem is in a file that is not here": missing_ids} if missing_ids else {}
    )
    return readme.runs_of(reasons)


def _contents(
    source: Source,
    which: Found,
    plugins: Carried,
    of_files: Carried,
    scratch: Path | None,
) -> dict[str, Content]:
    """All files by name, but for the checksums. Plots are drawn in the folder `scratch`."""
    records = source.records.sort([*SORTED_BY, "run_id"])
    environments = _environments(source)
    table = summary.summarise_groups(told_apart(records), summary.BY_FAMILY, summary.overview)
    packed = [Packed.of(problem, ids) for problem, ids in which.problems]
    packed.sort(key=lambda line: line.runs)
    formulas = {
        formula_name(problem): problem
        for problem, _ in which.problems
        if isinstance(problem, Formula)
    }
    contents: dict[str, Content] = {
        RECORDS: formats.to_csv(records),
        CONDITIONS: formats.to_conditions(environments, source.sessions),
        packed_problems.FILE: packed_problems.to_lines(packed),
        REQUIREMENTS: _requirements(environments, plugins.distributions),
        SUMMARY: to_csv(table.columns, table.iter_rows(named=True)).encode(),
        **{name: formula.place for name, formula in formulas.items()},
        **plugins.files,
        **of_files.files,
    }
    if source.campaign:
        contents[CAMPAIGN] = files.content(source.campaign, _LARGEST_CAMPAIGN)
    if scratch:
        contents |= _plots(told_apart(records), scratch / "plots")
    facts = replace(
        _facts(source, environments, table, which, contents),
        plugins=plugins.needed,
        components=of_files.needed,
        lacking=[*plugins.lacking, *of_files.lacking],
    )
    contents[readme.FILE] = readme.text(facts).encode()
    ended_at = max(records["started_at"], default=0.0)
    about = crate.About(source.title, facts.measured, ended_at, source.license)
    contents[crate.FILE] = crate.metadata(about, contents)
    return contents


def _describe_measured(records: pl.DataFrame) -> str:
    """What was measured, in sentences, and how many of the runs were measured elsewhere."""
    own = records.filter(MEASURED_HERE)
    sentences = [f"{counted(len(own), 'run')} of {_problems(own)}"] if len(own) else []
    sentences += cautions(records, Output.MESSAGES)
    return " ".join(f"{sentence}." for sentence in sentences)


def _problems(records: pl.DataFrame) -> str:
    problems = records.select("family", "n", "instance", "problem_digest").n_unique()
    pairs = records.select("encoding", "backend").n_unique()
    combinations = counted(pairs, "combination")
    return f"{counted(problems, 'problem')} and {combinations} of encoding and backend"


def _plots(records: pl.DataFrame, folder: Path) -> dict[str, Content]:
    from nqbench.show import plots  # imports Matplotlib

    kinds = plots.kinds_of(records, plots.AT_A_GLANCE)
    # As SVG, the same figure has other ids in another process.
    drawn = plots.save_all(records, folder, kinds, formats=["png"])
    return {f"plots/{path.name}": path for path in drawn}


def _requirements(environments: Iterable[Environment], plugins: Collection[str]) -> bytes:
    """The exact versions of nqbench and of the solvers, as pip reads them; of several versions of
    one, all are named, and all but the last as a comment. So are plugins, which are in the bundle.
    """
    versions: dict[str, dict[str, None]] = {}
    for environment in environments:
        for name, version in {"nqbench": environment.nqbench, **environment.packages}.items():
            versions.setdefault(name, {})[version] = None
    lines = []
    for name in sorted(versions, key=lambda name: (name != "nqbench", name)):
        *earlier, last = sorted(versions[name])
        if name in plugins:
            lines.append(f"# {name}=={last}: its files are in the folder {PLUGINS}")
            continue
        lines += [*(f"# {name}=={other}" for other in earlier), f"{name}=={last}"]
    return "".join(f"{line}\n" for line in lines).encode()


def _facts(
    source: Source,
    environments: Sequence[Environment],
    table: pl.DataFrame,
    which: Found,
    contents: Mapping[str, Content],
) -> readme.Facts:
    records = source.records
    solvers = records.group_by("backend", "backend_version", "backend_build").len("runs")
    contained = {name.partition("/")[0] for name in contents} | {readme.FILE, crate.FILE}
    contained.add(archive.CHECKSUMS)
    return readme.Facts(
        title=source.title,
        measured=_describe_measured(records),
        conditions=[
            *page.described(environments),
            description.conditions(records).replace(_NBSP, " "),
        ],
        solvers=solvers.sort("backend", "backend_version", "backend_build"),
        results=readme.results(table),
        findings=[sentence.replace(_NBSP, " ") for sentence in findings(told_apart(records))],
        files={
            name: meaning for name, meaning in MEANINGS.items() if name.rstrip("/") in contained
        },
        formulas={
            formula_name(problem): problem.instance
            for problem, _ in which.problems
            if isinstance(problem, Formula)
        },
        carried=_explain_left_out(which),
        license=source.license,
        programs=need_permission(
            name for column in ("encoding", "backend") for name in records[column].unique().sort()
        ),
    )
