"""The README, CI and the project metadata have to agree."""

import re
import tomllib

from places import ROOT


def commands():
    readme = (ROOT / "README.md").read_text()
    return re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)


def test_the_readme_has_two_commands_and_ci_runs_the_second():
    main_job, tests = commands()
    assert main_job.endswith("-m nqbench --n 4..30")
    last = (ROOT / ".ci" / "run").read_text().splitlines()[-2:]
    assert last == [tests, ".venv/bin/tox -e thorough"]


def test_the_citation_and_the_changelog_name_the_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    cited = re.findall(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited == [version]
    newest = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert newest == ("Unreleased" if "dev" in version else version)


def test_contributing_names_files_that_are_where_it_says():
    said = (ROOT / "CONTRIBUTING.md").read_text().partition("Then follow one run:")[2]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", said.partition("## Add")[0], re.MULTILINE)
    assert len(rows) > 20
    for places, told in rows:
        rooms = [ROOT / "nqbench" / place for place in re.findall(r"`([\w./]+)`", places)]
        assert all(room.exists() for room in rooms), places
        named = re.findall(r"`(\w[\w./]*\.(?:py|c))`", told)
        missing = [
            name
            for name in named
            if not (ROOT / name).exists()
            and not (ROOT / "nqbench" / name).exists()
            and not any(room.is_dir() and any(room.rglob(name)) for room in rooms)
        ]
        assert not missing, (places, missing)
