"""Rehearses a release: build, check the metadata, install the source and run the wheel with uvx in
new environments outside the checkout, without a compiler and with one, and run the main job at
small n and the conformance checks there.

    tox -e release
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from arguments import paths

ROOT = Path(__file__).parents[1]

CONFORMANCE = """
from nqbench.plugin import Backend, Encoding
from nqbench.testing import check_backend, check_encoding

for name in ("pairwise", "product", "pyeda-onehot"):
    check_encoding(Encoding.named(name))
for name in ("glucose4", "minisat22", "cryptominisat", "pyeda", "backtracking", "astar"):
    check_backend(Backend.named(name))
print("3 encodings and 6 backends conform")
"""

COMPILED = """
from nqbench.checking import proof
from nqbench.clauses.cnf import CNF
from nqbench.plugin import Backend

loading = Backend.named("minisat22").load(CNF(0, 0, ())).loading
print(loading, "and", "nqbench" if proof.is_built() else "dratify")
"""


JOB = ["nqbench", "--n", "4..12", "--quiet"]

RAN = """
import nqbench
from nqbench.plugin import Backend

records = nqbench.read("results")
able = [name for name in set(records["backend"]) if "loading" in Backend.named(name).parameters]
assert set(records["backend"]) == {"glucose4", "minisat22", "cryptominisat"}
assert set(records["verdict"]) == {"verified"}
assert set(records["n"]) == set(range(4, 13))
assert set(records.filter(records["backend"].is_in(able))["loading"]) == {"direct"}
"""
"""The records of the main job at n = 4 to 12 are what was meant."""


def main(folder: Path) -> None:
    """Rehearse in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    dist = folder / "dist"
    shutil.rmtree(dist, ignore_errors=True)  # from an earlier version
    step([sys.executable, "-m", "build", "--installer", "uv", "--outdir", dist, ROOT], folder)
    (sdist,), (built,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    wheel = for_any_linux(built)
    step([sys.executable, "-m", "twine", "check", "--strict", sdist, wheel], folder)
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    for needed in (
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "Containerfile",
        "action.yml",
        "nqbench/show/report/templates/report.html",
        "results/reference/at-most-one/total-over-n.png",
    ):
        assert needed in names, f"{needed} is not in {sdist.name}"
    # What has a wheel needs no compiler, and nqbench itself needs none at all.
    refusing = folder / "refusing-compiler"
    refusing.write_text("#!/bin/sh\nexit 1\n")
    refusing.chmod(0o755)
    without = {"CC": str(refusing), "CXX": str(refusing)}
    clean = folder / "clean"
    uv = [sys.executable, "-m", "uv"]
    step([*uv, "venv", "--quiet", "--clear", clean], folder)
    python, nqbench = clean / "bin" / "python", clean / "bin" / "nqbench"
    install = [*uv, "pip", "install", "--quiet", "--python", python]
    step([*install, "--refresh-package", "nqbench", sdist], folder, **without)
    assert "binding and dratify" in step([python, "-c", COMPILED], folder)
    step([nqbench, "--n", "2..6", "--repeat", "1", "--quiet", "--no-plots"], folder)
    step([nqbench, "--version"], folder)
    # As somebody who has installed nothing.
    here = folder / "uvx"
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    uvx = [*uv, "tool", "run", "--quiet", "--python", sys.executable, "--from", wheel]
    said = step([*uvx, "--refresh-package", "nqbench", *JOB], here, **without)
    for line in ("left out: pyeda-onehot and pyeda: pyeda is not installed; try:", "report: "):
        assert line in said, f"the main job does not say '{line}'"
    assert (here / "results" / "plots" / "cactus.svg").exists()
    assert "direct and nqbench" in step([*uvx, "python", "-c", COMPILED + RAN], here)
    # The published version, installed with the README's first command.
    unpacked = folder / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    unpacked.mkdir()
    step(["tar", "-xzf", sdist], unpacked)
    (there,) = unpacked.iterdir()
    readme = (ROOT / "README.md").read_text()
    (main_job,) = re.findall(r"^python3 -m venv .* -m nqbench .*$", readme, re.MULTILINE)
    said = step(["sh", "-c", main_job.replace("4..30", "4..6")], there)
    assert "left out" not in said
    assert (there / "results" / "report.html").exists()
    step([there / ".venv" / "bin" / "nqbench", "summary", "--json"], there)
    said = step([there / ".venv" / "bin" / "nqbench", "doctor"], there)
    assert "take clauses from memory" in said
    step([there / ".venv" / "bin" / "python", "-c", CONFORMANCE], there)


def for_any_linux(wheel: Path) -> Path:
    """The wheel with the tag of every Linux with glibc 2.17 (2012) or later, which is all that its
    extensions need.
    """
    with zipfile.ZipFile(wheel) as packed:
        extensions = [name for name in packed.namelist() if name.endswith(".so")]
        assert len(extensions) == 3, extensions
        code = b"".join(map(packed.read, extensions))
    needed = re.findall(rb"GLIBC_2\.(\d+)", code)
    assert all(int(version) <= 17 for version in needed), needed
    platform = f"manylinux_2_17_{os.uname().machine}"
    step(
        [sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", platform, wheel],
        wheel.parent,
    )
    (tagged,) = wheel.parent.glob("*.whl")
    return tagged


def step(command: list[object], folder: Path, **environment: str) -> str:
    """Run a command; print and return its output on both streams."""
    print("+", *command, flush=True)
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(done.stdout, end="", flush=True)
    done.check_returncode()
    return done.stdout


if __name__ == "__main__":
    main(*paths(__doc__, "FOLDER"))
