"""Write the parts of pages that come from the code or from results, so that they can be read in a
clone as well.

    python tools/generate.py          write them
    python tools/generate.py --check  only print which files are stale; status 1 if there are any

A part is between `<!-- generated: WHAT -->` and `<!-- end -->`. WHAT is one of:

    encodings, plots, widths, claims, strength
    columns NAME ...          the columns of records that begin with these, each up to the next
                              column that begins a part
    calibration NAME          a table of `results/reference/calibration.json`
    measured NAME             a text of `docs/measured.toml`, with figures of `tox -e bench`
    nqbench ARGUMENTS         a command and what it prints; ` | head -N` keeps the first N lines
    findings CAMPAIGN [none]  the findings of a campaign of `results/reference`, for each family, or
                              with `none` for all together
    main job, main job in brief, large boards, campaigns, decisions: tables of these campaigns
    beginning                 what the README begins with, for a page in `docs`
    cards                     the pages of the site in the groups of its navigation

The text around the parts is written by hand. The pictures of encodings, of a board and of growth in
`docs/pictures` are generated too, and the stubs of names that are found at run time (`stubs`);
`tools/report_picture.py` takes the one of a report.
"""

import argparse
import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).resolve().parents[1]
# Document the code beside this file, whatever is installed.
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import calibrated  # noqa: E402
import campaigns  # noqa: E402
import growth  # noqa: E402
import ledger  # noqa: E402
import measured  # noqa: E402
import navigation  # noqa: E402
import stubs  # noqa: E402

from nqbench.clauses.cnf import CNF  # noqa: E402
from nqbench.common.vocabulary import Form  # noqa: E402
from nqbench.encodings.base import Encoding  # noqa: E402
from nqbench.encodings.lines import LineEncoding  # noqa: E402
from nqbench.plugins import encoding_names  # noqa: E402
from nqbench.problems.queens import Queens  # noqa: E402
from nqbench.records.columns import KINDS, OF_RECORDS  # noqa: E402
from nqbench.records.record import Record  # noqa: E402
from nqbench.show.paper import CLASSES, paper  # noqa: E402
from nqbench.show.plots import KINDS as PLOTS  # noqa: E402

PART = re.compile(
    r"(?<=^<!-- generated: )(.+?) -->$.*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL
)

TRUE, FALSE, EDGE = "#0072B2", "#D55E00", "#888888"
CELL = 8
SQUARES = 8
ROWS = 4


def pages(root: Path = ROOT) -> list[Path]:
    """The pages that may have generated parts."""
    others = (root / "README.md", root / "results" / "reference" / "README.md")
    return [*sorted((root / "docs").rglob("*.md")), *others]


def files(root: Path = ROOT) -> dict[Path, str]:
    """Each file that is generated, wholly or in part, with the text that it should have."""
    expected = {}
    for page in pages(root):
        text = page.read_text()
        if PART.search(text):
            expected[page] = filled(text, root)
    for encoding in encodings():
        if shown := formula(encoding):
            expected[root / "docs" / "pictures" / f"{encoding.base_name}.svg"] = picture(shown)
    expected[root / "docs" / "pictures" / "board.svg"] = campaigns.board(root)
    for name, text in growth.pictures(measured.read(root / measured.FIGURES)).items():
        expected[root / "docs" / "pictures" / name] = text
    return expected | stubs.stubs(root)


def filled(text: str, root: Path) -> str:
    """The text of a page with its generated parts. Those of add-ons that were deleted stay."""

    def part(found: re.Match[str]) -> str:
        folder = OF_ADDONS.get(found[1], "").partition(":")[0].rpartition(".")[0]
        if folder and not (root / folder.replace(".", "/")).is_dir():
            return found[0]
        return f"{found[1]} -->\n\n{content(found[1], root)}\n\n"

    return PART.sub(part, text)


def stale(root: Path = ROOT, expected: dict[Path, str] | None = None) -> list[Path]:
    """The files that differ from the code and the results, and pictures of nothing. `expected` are
    the `files`, if they are known already.
    """
    expected = files(root) if expected is None else expected
    found = [path for path, text in expected.items() if not _has(path, text)]
    return found + [
        path for path in sorted(root.glob("docs/pictures/*.svg")) if path not in expected
    ]


def _has(path: Path, text: str) -> bool:
    if not path.exists():
        return False
    there = path.read_text()
    return (stubs.without_deleted(there) if path.suffix == ".pyi" else there) == text


def content(what: str, root: Path) -> str:
    """The text between the markers."""
    match what.split():
        case ["encodings" | "plots" | "widths"]:
            parts = FROM_CODE[what]()
        case ["columns", *first]:
            parts = [columns(first, root)]
        case [name] if name in OF_ADDONS:
            parts = [pkgutil.resolve_name(OF_ADDONS[name])()]
        case ["claims"]:
            parts = ledger.page(list(ledger.read(root / "claims").values()))
        case ["calibration", name]:
            parts = calibrated.part(name, root)
        case ["measured", name]:
            parts = measured.part(name, root)
        case ["nqbench", *_]:
            parts = campaigns.printed(what, root)
        case ["findings", name, *by]:
            parts = campaigns.sentences(name, root, by or ["family"])
        case ["main" | "large" | "campaigns" | "decisions", *_]:
            parts = OF_CAMPAIGNS[what](root)
        case ["beginning" | "cards"]:
            parts = FROM_PAGES[what](root)
        case _:
            raise ValueError(f"unknown part: {what}")
    return "\n\n".join(parts)


def beginning(root: Path) -> list[str]:
    """What the README begins with, whose links are those of a page in `docs`."""
    readme = (root / "README.md").read_text()
    begun = readme.partition("<!-- beginning")[2].partition("-->\n")[2]
    text = filled(begun.partition("<!-- beginning ends -->")[0], root)
    text = re.sub(r"^<!-- (generated: .*|end|picture: .*) -->\n+", "", text, flags=re.MULTILINE)
    text = re.sub(r'(href="|src=")docs/', r"\1", text)
    return [re.sub(r'(href=".*?)\.md"', r'\1/"', text.replace("](docs/", "](")).strip()]


def encodings() -> list[Encoding]:
    """The encodings of nqbench itself; other distributions may have more."""
    every = (Encoding.named(name) for name in encoding_names())
    return [encoding for encoding in every if encoding.brought_by == "nqbench"]


def section(encoding: Encoding) -> str:
    """The docstring of the encoding's module, and its picture."""
    name = encoding.base_name
    words = inspect.cleandoc(sys.modules[type(encoding).__module__].__doc__ or "")
    words = re.sub(r"^`[\w-]+`: ", "", words).partition("\n>>>")[0].strip()
    lines = [f"## `{name}`", "", words[:1].upper() + words[1:]]
    if shown := formula(encoding):
        what = f"an item of {SQUARES} options" if shown.num_main == SQUARES else f"{ROWS} rows"
        size = f"{shown.num_variables} variables, {shown.num_clauses} clauses"
        lines += ["", f"![The clauses of {encoding.name} on {what}](../pictures/{name}.svg)"]
        lines += ["", f"*{what[0].upper()}{what[1:]}: {size}.*"]
    return "\n".join(lines)


def formula(encoding: Encoding) -> CNF | None:
    """An at-most-one scheme on one line, or an encoding of a whole small board."""
    if encoding.makes is not Form.CNF or encoding.why_not(Queens(ROWS)):
        return None
    if isinstance(encoding, LineEncoding) and encoding.state == "both":
        return encoding.at_most_one(SQUARES)
    return encoding.clauses(Queens(ROWS))


def picture(cnf: CNF) -> str:
    """A column for each clause, a row for each variable; those of the board above the line.

    Written by hand: the pictures of plotting libraries differ from version to version.
    """
    dots, strokes = [], []
    for column, clause in enumerate(cnf.clauses()):
        x = CELL * column + CELL // 2
        for literal in sorted(clause, key=abs):
            y = CELL * (abs(literal) - 1) + CELL // 2
            if literal > 0:
                dots.append(f"M{x} {y}h0")
            else:
                strokes.append(f"M{x} {y - 3}v6")
    width, height = CELL * cnf.num_clauses, CELL * cnf.num_variables
    paths = [
        f'<path stroke="{TRUE}" stroke-width="5" stroke-linecap="round" d="{"".join(dots)}"/>',
        f'<path stroke="{FALSE}" stroke-width="2" d="{"".join(strokes)}"/>',
    ]
    if cnf.num_main < cnf.num_variables:
        paths.append(f'<path stroke="{EDGE}" d="M0 {CELL * cnf.num_main}h{width}"/>')
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *paths, "</svg>", ""])


def columns(first: list[str], root: Path) -> str:
    """A table of columns of records. Each column is in the part of the page with the last column
    before it, or itself, that the page names.
    """
    page = (root / "docs" / "reference" / "records.md").read_text()
    begin = {
        name
        for part in re.findall(r"^<!-- generated: columns (.+) -->$", page, re.MULTILINE)
        for name in part.split()
    }
    words = dict(described(Record))
    rows = ["| field | type | meaning |", "| --- | --- | --- |"]
    is_here = False
    for name, column in OF_RECORDS.items():
        is_here = name in first or (is_here and name not in begin)
        if is_here:
            rows.append(f"| `{name}` | {KINDS[column.kind]} | {words[name]} |")
    return "\n".join(rows)


def plots() -> str:
    """A table of the kinds of plots; those of add-ons are on their own pages."""
    own = {name: kind for name, kind in PLOTS.items() if ".addons." not in kind.draw.__module__}
    rows = [f"| `{name}` | {kind.reading} |" for name, kind in own.items()]
    return "\n".join(["| kind | how to read it |", "| --- | --- |", *rows])


def widths() -> str:
    """A table of the widths of figures in the classes of common venues."""
    rows = [f"| `{name}` | {size} | {paper(name).inches:.2f}in |" for name, size in CLASSES.items()]
    return "\n".join(["| `--width` | in the class | in inches |", "| --- | --- | --- |", *rows])


FROM_CODE = {
    "encodings": lambda: map(section, encodings()),
    "plots": lambda: [plots()],
    "widths": lambda: [widths()],
}
"""Parts that depend on the code only."""

OF_ADDONS = {"strength": "nqbench.addons.strength.table:page"}
"""Parts that add-ons write."""

OF_CAMPAIGNS = {
    "main job": campaigns.main_job,
    "main job in brief": campaigns.main_job_in_brief,
    "large boards": campaigns.large_boards,
    "campaigns": campaigns.overview,
    "decisions": campaigns.decisions,
}
"""Parts about reference campaigns."""

FROM_PAGES = {
    "beginning": beginning,
    "cards": lambda root: navigation.cards((root / "mkdocs.yml").read_text()),
}
"""Parts that repeat what is on other pages or in the navigation."""


def described(record: type) -> Iterator[tuple[str, str]]:
    """The fields of a dataclass and of its bases, with the text below each on one line."""
    for each in record.__mro__[:-1]:
        (definition,) = ast.parse(dedent(inspect.getsource(each))).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(words))):
                    yield name, " ".join(words.split())


def main() -> int:
    """Write what is stale, or with --check only print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if stale")
    check = parser.parse_args().check
    expected = files()
    found = stale(expected=expected)
    for path in found:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if check:
            continue
        if path in expected:
            path.parent.mkdir(exist_ok=True)
            path.write_text(expected[path])
        else:
            path.unlink()
    if check and found:
        print("renew them: python tools/generate.py")
    return 1 if check and found else 0


if __name__ == "__main__":
    sys.exit(main())
