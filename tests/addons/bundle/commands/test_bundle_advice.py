"""What `bundle`, `replay` and the README of a bundle tell to do works when it is pasted."""

import re
import shutil
import zipfile

import pytest
from followed_advice import call, wrong_advice

ADVISED = """\
bundle | nqbench bundle results.zip | bundle results.zip --no-plots
bundle a.zip --output b.zip --no-plots | name one | bundle --output b.zip --no-plots
bundle a.zip b.toml c.toml | at most one campaign file | bundle a.zip --no-plots
bundle c.zip --license mine --no-plots | choose from CC-BY-4.0 \
| bundle c.zip --license CC-BY-4.0 --no-plots
bundle c.zip --license mine --no-plots | by its address, https://... \
| bundle c.zip --license https://example.org/license --no-plots
bundle d.zip --no-plots --results files | add --allow-missing \
| bundle d.zip --no-plots --results files --allow-missing
bundle e.zip --no-plots --results files | Name these files as for `nqbench run` \
| bundle e.zip --no-plots --results files --cnf moved/a.cnf
replay results.zip --sample half | write for instance 20 or 10% | replay results.zip --sample 10%
bundle f.zip --no-plots --results own | add `--allow-program own.py:amo` to `nqbench replay` \
| replay f.zip --allow-program own.py:amo"""
OWN = """\
def amo(literals, next_variable):
    return [[-a, -b] for at, a in enumerate(literals) for b in literals[at + 1 :]]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, servers):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cnf").write_text("p cnf 2 2\n1 2 0\n-1 -2 0\n")
    (tmp_path / "own.py").write_text(OWN)
    usual = "--backend minisat22 --repeat 1 --no-plots -q"
    assert call(f"run --n 4,5 --encoding pairwise {usual}")[0] == 0
    assert call(f"run --n 4 --encoding ./own.py:amo {usual} --results own")[0] == 0
    assert call(f"run --cnf a.cnf {usual} --results files")[0] == 0
    (tmp_path / "moved").mkdir()
    shutil.move("a.cnf", "moved/a.cnf")
    return tmp_path


def test_what_bundle_and_replay_advise_works(folder):
    assert not wrong_advice(ADVISED)
    readme = zipfile.ZipFile(folder / "results.zip").read("README.md").decode()
    commands = re.findall(r"nqbench (replay BUNDLE[^`\n]*)", readme)
    assert len(commands) == 2
    for command in commands:
        assert call(command.replace("BUNDLE", "results"))[0] == 0
