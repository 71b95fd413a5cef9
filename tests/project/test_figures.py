"""Figures in prose: each is generated, from a source that is named beside it, or no measurement."""

import re
import tomllib
from collections import Counter

import pytest
from places import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "results" / "reference").glob("*.md")),
]
STATED = tomllib.loads((ROOT / "docs" / "figures.toml").read_text())["stated"]

NUMBER = r"\d[\d,]*(?:\.\d+)?"
UNITS = (
    r"%|[mµn]?s|seconds?|min|minutes?|h|hours?|days?|[KMGT]i?B|kB|times"
    r"|of\s+the\s+(?:solve\s+|total\s+)?time"
    r"|of (?:\d+ )?(?:random )?orders"
)
FIGURE = re.compile(rf"(?<![\w.,/#-]){NUMBER}(?:\s+to\s+{NUMBER})?\s?(?:{UNITS})(?![\w/])")
"""A measured quantity: a number, or a range of them, with a unit, a ratio, or a percentage."""

TAG = re.compile(r"<!-- figures of: ([^\n]+?) -->\n(.*?)(?=\n\n|\Z)", re.DOTALL)
NOT_PROSE = (
    re.compile(r"<!-- generated:.*?<!-- end -->", re.DOTALL),
    re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE),
    re.compile(r"<img [^>]*>"),
    re.compile(r"`[^`\n]*`"),
)


def uncovered(text):
    """The figures of a page that are in no generated block, code or tagged paragraph."""
    for part in NOT_PROSE:
        text = part.sub("", text)
    text = TAG.sub("", text)
    return [re.sub(r"\s+", " ", match[0]) for match in FIGURE.finditer(text)]


def stated_on(page):
    return [entry for entry in STATED if page in entry.get("pages", [page])]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_figure_in_prose_is_generated_or_has_a_source(path):
    page = str(path.relative_to(ROOT))
    known = {figure for entry in stated_on(page) for figure in entry["figures"]}
    assert [figure for figure in uncovered(path.read_text()) if figure not in known] == []


def test_what_is_stated_is_needed():
    found = {str(path.relative_to(ROOT)): uncovered(path.read_text()) for path in PAGES}
    for entry in STATED:
        pages = entry.get("pages", list(found))
        used = Counter(figure for page in pages for figure in found[page])
        assert [figure for figure in entry["figures"] if not used[figure]] == [], entry["why"]
        for page in entry.get("pages", ()):
            assert {*found[page]} & {*entry["figures"]}, (page, entry["why"])


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_source_of_a_figure_exists(path):
    """A file of the repository, or a command, whose files exist."""
    for source, _ in TAG.findall(path.read_text()):
        program, *words = source.split()
        files = [
            word for word in (program, *words) if word.startswith(("results/", "tools/", "claims/"))
        ]
        assert files or program in {"nqbench", "tox", "python"}, source
        assert [name for name in files if not (ROOT / name).exists()] == []


def test_figures_are_found():
    text = (
        "It takes 35 MiB, 4 to\n110 % and `10 s`.\n\n<!-- figures of: tox -e bench -->\nNow 3 s.\n"
        "\nIn 1.7 times, see [5](x). n = 20 boards.\n<!-- generated: x -->\n2 s\n<!-- end -->\n"
        "A takes 0.84 of\nthe solve time.\n"
    )
    assert uncovered(text) == ["35 MiB", "4 to 110 %", "1.7 times", "0.84 of the solve time"]
