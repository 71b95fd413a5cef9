"""Everything but one add-on: whether the rest works as if it had never been there.

    python tools/without.py NAME FOLDER [ARGUMENT ...]

Copies the files of this checkout to FOLDER without the add-on, its tests and its entry points, and
without those that stand on it; installs the copy beside the packages of this environment; checks
style and types; and runs pytest there with these arguments, by default on the tests of `tox -e
tests`. Exit status 1 if something fails.
"""

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "helpers")]

from addons import STANDS_ON  # noqa: E402

QUICK = "-q -n 2 --kinds unit,commands tests/unit tests/commands tests/project tests/addons nqbench"


def all_to_delete(name: str) -> list[str]:
    """The add-on, and those that stand on it."""
    return [name, *(above for above, below in STANDS_ON.items() if name in below)]


def delete(name: str, root: Path) -> None:
    """Delete an add-on, its tests and its entry points from a checkout."""
    shutil.rmtree(root / "nqbench" / "addons" / name)
    shutil.rmtree(root / "tests" / "addons" / name)
    project = root / "pyproject.toml"
    mine = re.compile(
        rf'^\S+ = "nqbench\.addons\.{name}[.:].*\n|^"list \w+" = .*\.{name}:.*\n', re.MULTILINE
    )
    project.write_text(mine.sub("", project.read_text()))


def copy(folder: Path) -> None:
    """Copy the files of this checkout, and make the copy a repository, which some tests read."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def install(folder: Path) -> Path:
    """Install the copy in an environment of its own that sees the packages of this one. Returns its
    Python.
    """
    environment = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    here = sysconfig.get_path("purelib")
    there = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    # A path in such a file is added, but the files of this kind in it are not read: so the copy is
    # found, and not this checkout.
    Path(there, "packages.pth").write_text(f"{here}\n")
    subprocess.run(
        ["uv", "pip", "install", "-q", "-p", python, "--no-deps", "-e", "."], cwd=folder, check=True
    )
    return python


def main() -> int:
    """Delete, install, check and test."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=sorted(p.name for p in (ROOT / "tests/addons").iterdir()))
    parser.add_argument("folder", type=Path)
    arguments, words = parser.parse_known_args()
    folder = arguments.folder.resolve()
    copy(folder)
    for name in all_to_delete(arguments.name):
        delete(name, folder)
        print(f"without {name}", flush=True)
    python = install(folder)
    failed = [
        done.args
        for done in (
            subprocess.run([python, "-m", *command], cwd=folder, check=False)
            for command in (
                ["ruff", "check", "-q", "."],
                ["mypy"],
                ["pytest", *(words or QUICK.split())],
            )
        )
        if done.returncode
    ]
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
