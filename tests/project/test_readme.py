"""The README, CI and the project metadata have to agree."""

import re
import tomllib

import navigation
import report_picture
from addons import names_missing
from places import ROOT


def commands():
    readme = (ROOT / "README.md").read_text()
    return re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)


def test_the_readme_has_two_commands_and_ci_runs_the_second():
    main_job, tests = commands()
    assert main_job.endswith("-m nqbench --n 4..30")
    last = (ROOT / ".ci" / "run").read_text().splitlines()[-2:]
    assert last == [tests, ".venv/bin/tox -e thorough"]


def test_the_pictures_exist_and_that_of_the_report_shows_what_it_says():
    readme = (ROOT / "README.md").read_text()
    pictures = re.findall(r'<img src="([^"]*)"', readme)
    assert pictures == ["docs/pictures/report.png", "docs/pictures/board.svg"]
    assert all((ROOT / name).stat().st_size < 100_000 for name in pictures)
    assert report_picture.stale() == [], "python tools/report_picture.py takes it again"


def test_the_badges_are_of_workflows():
    badges = re.findall(r"/actions/workflows/([^)]*)/badge.svg", (ROOT / "README.md").read_text())
    assert len(badges) == 2
    assert all((ROOT / ".github" / "workflows" / name).exists() for name in badges)


def test_the_citation_and_the_changelog_name_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cited = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [version]
    newest = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert newest == ("Unreleased" if "dev" in version else version)


def test_contributing_names_files_that_are_where_it_says():
    said = (ROOT / "CONTRIBUTING.md").read_text().partition("## How the code is organized")[2]
    named = re.findall(r"`([\w./]*(?:\.py|\.c|/))`", said.partition("## Tests you get")[0])
    named = [name for name in named if not names_missing(name)]
    assert len(named) > 20
    places = [ROOT, ROOT / "nqbench", ROOT / "tests" / "project"]
    assert [name for name in named if not any((each / name).exists() for each in places)] == []


def test_every_page_is_in_a_group_of_the_navigation_and_on_its_card():
    settings = (ROOT / "mkdocs.yml").read_text()
    entries = list(navigation.entries(settings))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {file for *_, file in entries} == pages | {"results/reference/README.md"}
    home = (ROOT / "docs" / "index.md").read_text().partition("## All pages")[2]
    cards = re.split(r"^- \*\*(.+)\*\*$", home, flags=re.MULTILINE)[1:]
    shown = {
        (group, title)
        for group, text in zip(cards[::2], cards[1::2], strict=True)
        for title in re.findall(r"^    - \[(.+)\]", text, re.MULTILINE)
    }
    groups = {(path[-1] if path else "Begin", title) for path, title, _ in entries}
    assert shown == groups - {("Begin", "Start")}
    sizes = [sum(group == other for other, _ in shown) for group, _ in shown]
    assert max(sizes) <= 10
