"""The release, rehearsed: build, check the metadata, install the wheel into a new environment, away
from the checkout, and run the main job at small n and the conformance checks there.

    tox -e release
"""

import subprocess
import sys
import tarfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

CONFORMANCE = """
from nqbench.plugins import backend_names, encoding_names, load_backend, load_encoding
from nqbench.testing import check_backend, check_encoding
from nqbench.vocabulary import Form

for name in encoding_names():
    check_encoding(load_encoding(name))
for name in ("glucose4", "minisat22", "cryptominisat", "pyeda", "backtracking", "astar"):
    check_backend(load_backend(name))
print(len(encoding_names()), "encodings and 6 backends conform")
"""


def main(folder: Path) -> None:
    """Rehearse in this folder."""
    dist = folder / "dist"
    step([sys.executable, "-m", "build", "--outdir", dist, ROOT], folder)
    sdist, wheel = sorted(dist.iterdir(), key=lambda path: path.suffix)
    step([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel], folder)
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for needed in (
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "nqbench/report/templates/report.html",
        "results/reference/at-most-one/total-over-n.png",
    ):
        assert needed in names, f"{needed} is not in {sdist.name}"
    clean = folder / "clean"
    venv.create(clean, with_pip=True)
    python, nqbench = clean / "bin" / "python", clean / "bin" / "nqbench"
    step([python, "-m", "pip", "install", "--quiet", wheel], folder)
    step([nqbench, "--version"], folder)
    step([python, "-m", "nqbench", "--n", "4..6", "--quiet"], folder)
    assert (folder / "results" / "plots" / "cactus.svg").exists()
    step([nqbench, "summary", "--json"], folder)
    step([python, "-c", CONFORMANCE], folder)


def step(command: list[object], folder: Path) -> None:
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], cwd=folder, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
