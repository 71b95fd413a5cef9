"""The scripts in docs/faults, each of which shows a fault of a library."""

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

import pytest
from places import ROOT

FAULTS = ROOT / "docs" / "faults"
ROW = re.compile(
    r"^\| \[(?P<script>\w+\.py)\]\((?P=script)\) "
    r"\| (?P<library>\S+) (?P<versions>.*?)(?: with Python 3\.(?P<minor>\d+) and later)? "
    r"\| .* \| `(?P<prints>.*)` \| (?P<workaround>.*) \|$",
    re.MULTILINE,
)
ROWS = [match.groupdict() for match in ROW.finditer((FAULTS / "index.md").read_text())]


def test_the_page_has_every_script():
    assert [row["script"] for row in ROWS if not (FAULTS / row["script"]).exists()] == []
    assert {row["script"] for row in ROWS} == {path.name for path in FAULTS.glob("*.py")}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["script"])
def test_a_script_names_the_versions_of_the_page(row):
    (seen,) = re.findall(r"^Seen: .*", (FAULTS / row["script"]).read_text(), re.MULTILINE)
    found = re.findall(r"\d[\w.]*\w", seen.partition(" on Python")[0])
    assert row["library"] in seen
    assert found == row["versions"].split(", ")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["script"])
def test_a_script_shows_its_fault(row, tmp_path):
    """With a version that the page names; with another one it may be gone, which is reported."""
    library = row["library"]
    try:
        installed = version(library)
    except PackageNotFoundError:
        pytest.skip(f"{library} is not installed")
    done = subprocess.run(
        [sys.executable, FAULTS / row["script"]],
        cwd=tmp_path,  # where a crash may leave its core
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    printed = " ".join(done.stdout.split())
    assert f"{library} {installed} Python" in printed
    assert done.returncode in (0, 1), done.stdout
    gone = f"{library} {installed} does not show the fault of docs/faults/{row['script']}"
    advice = f"if it is fixed, this can go: nqbench {row['workaround']}"
    if row["minor"] and sys.version_info < (3, int(row["minor"])):
        assert "This Python is not affected." in printed
        assert done.returncode == 0
    elif installed in row["versions"].split(", "):
        assert done.returncode == 1, f"{gone}; {advice}\n{done.stdout}"
        assert row["prints"] in printed
    elif done.returncode == 0:
        pytest.skip(f"{gone}; {advice}")
