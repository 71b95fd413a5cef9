"""Everything but some add-ons: whether the rest works as if they had never been there.

    python tools/without.py NAME[,NAME...] FOLDER [ARGUMENT ...]

Copies the files of this checkout to FOLDER without these add-ons, their tests and entry points, and
without those that stand on them; installs the copy beside the packages of this environment; checks
style and types; and runs pytest there with these arguments, by default on the tests of `tox -e
tests`. Exit status 1 if something fails.
"""

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "helpers")]

from addons import STANDS_ON  # noqa: E402

ADDONS = sorted(path.name for path in (ROOT / "tests" / "addons").iterdir() if path.is_dir())

QUICK = "-q -n 2 --kinds unit,commands tests/unit tests/commands tests/project tests/addons nqbench"


def all_to_delete(names: Iterable[str]) -> list[str]:
    """These add-ons, and those that stand on them."""
    given = {*names}
    return sorted(given | {above for above, below in STANDS_ON.items() if given & below})


def delete(name: str, root: Path) -> None:
    """Delete an add-on, its tests and its entry points from a checkout."""
    shutil.rmtree(root / "nqbench" / "addons" / name)
    shutil.rmtree(root / "tests" / "addons" / name)
    project = root / "pyproject.toml"
    mine = re.compile(
        rf'^\S+ = "nqbench\.addons\.{name}[.:].*\n|^"list \w+" = .*\.{name}:.*\n', re.MULTILINE
    )
    project.write_text(mine.sub("", project.read_text()))


def copy_without(names: Iterable[str], folder: Path) -> list[str]:
    """Copy this checkout without these add-ons. Returns all that are missing in the copy."""
    copy(folder)
    missing = all_to_delete(names)
    for name in missing:
        delete(name, folder)
    return missing


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
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
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
    parser.add_argument("names", metavar="NAME[,NAME...]")
    parser.add_argument("folder", type=Path)
    arguments, words = parser.parse_known_args()
    folder = arguments.folder.resolve()
    names = arguments.names.split(",")
    if unknown := {*names} - {*ADDONS}:
        parser.error(f"no add-on {', '.join(sorted(unknown))}: there are {', '.join(ADDONS)}")
    missing = copy_without(names, folder)
    print(f"without {', '.join(missing)}", flush=True)
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
