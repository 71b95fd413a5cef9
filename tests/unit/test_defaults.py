"""A campaign with default components whose library is missing, and the commands to install it."""

import sys
import sysconfig
from importlib.metadata import PackageNotFoundError, version

import pytest
from installing import is_told
from places import ROOT
from programs import write_program

import nqbench
from nqbench.backends.base import Backend
from nqbench.campaign import combinations
from nqbench.campaign.grid import Campaign
from nqbench.common.errors import InputError
from nqbench.common.limits import Limits
from nqbench.common.vocabulary import Outcome, Task
from nqbench.plugins import component, install
from nqbench.problems.queens import Queens

ALL = (
    {"pairwise", "alo-row", "pyeda-onehot", "sequential"},
    {"glucose4", "minisat22", "cryptominisat", "pyeda"},
)


@pytest.fixture
def missing(monkeypatch):
    """Pretend that a distribution is missing."""

    def hide(*names):
        def installed(name):
            if name in names:
                raise PackageNotFoundError(name)
            return version(name)

        monkeypatch.setattr(component, "_installed", installed)

    return hide


def planned(**named):
    campaign = Campaign(problems=[Queens(4)], repeat=1, **named)
    runs = campaign.runs()
    return {run.encoding for run in runs}, {run.backend for run in runs}, campaign.notes


def test_defaults_that_are_not_installed_are_left_out_and_said_so_in_a_line(missing):
    assert planned() == (*ALL, [])
    missing("pyeda")
    encodings, backends, (note,) = planned()
    assert (encodings, backends) == (ALL[0] - {"pyeda-onehot"}, ALL[1] - {"pyeda"})
    assert note.startswith("left out: pyeda-onehot and pyeda: pyeda is not installed; try: ")
    assert "CPPFLAGS='-O3 -Wno-error=incompatible-pointer-types' " in note
    assert is_told(note, "pyeda")
    missing("pyeda", "pycryptosat")
    _, backends, notes = planned()
    assert backends == {"glucose4", "minisat22"}
    left_out = [note.split(": ")[:2] for note in notes]
    assert left_out == [["left out", "pyeda-onehot and pyeda"], ["left out", "cryptominisat"]]


def test_what_was_named_is_planned_though_it_is_missing(missing):
    missing("pyeda")
    encodings, backends, notes = planned(backends=["pyeda", "minisat22"])
    assert backends == {"pyeda", "minisat22"}
    assert encodings == ALL[0] - {"pyeda-onehot"}
    assert [note.split(": ")[:2] for note in notes] == [["left out", "pyeda-onehot"]]
    assert planned(backends=["pyeda"], encodings=["pyeda-onehot"])[2] == []


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_backends_are_not_the_default_ones(nothing):
    with pytest.raises(InputError, match="needs at least one problem and one backend"):
        nqbench.run([4], backends=nothing)


def test_a_notebook_is_warned(missing):
    missing("pyeda")
    with pytest.warns(UserWarning, match="left out: pyeda-onehot and pyeda: pyeda is not"):
        records = nqbench.run([4], repeat=1)
    assert set(records["backend"]) == ALL[1] - {"pyeda"}
    assert set(records["outcome"]) == {Outcome.FINISHED}


def test_a_command_is_for_the_python_that_runs_this(monkeypatch, tmp_path):
    python = tmp_path / "an environment" / "bin" / "python"
    python.parent.mkdir(parents=True)
    write_program(python.parent / "pip")
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert install.command("pyeda") == f"'{python}' -m pip install pyeda"
    monkeypatch.chdir(tmp_path)
    assert install.command("nqbench[dask]") == (
        "'an environment/bin/python' -m pip install 'nqbench[dask]'"
    )
    monkeypatch.setenv("PATH", str(python.parent))
    assert install.command("nqbench[dask]") == "pip install 'nqbench[dask]'"


def test_a_command_for_an_environment_without_pip_is_for_uv(monkeypatch, tmp_path):
    uv = write_program(tmp_path / "uv")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(install.importlib.util, "find_spec", {"pip": None}.get)
    line = f"uv pip install --python {sys.executable} pyeda"
    assert install.command("pyeda") == line
    uv.unlink()
    assert install.command("pyeda").endswith(" -m pip install pyeda")


@pytest.mark.parametrize(
    ("toolchain", "compiler", "line"),
    [
        (install.Toolchain(flags="-O1"), "gcc", "CPPFLAGS=-O1 pip install pyeda"),
        (install.CPP, "g++", "CPPFLAGS=-O3 pip install pyeda"),
    ],
)
def test_a_command_that_compiles_also_installs_what_that_needs(
    monkeypatch, tmp_path, toolchain, compiler, line
):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in (compiler, "apt"):
        write_program(tools / name)
    (tmp_path / "Python.h").touch()
    monkeypatch.setattr(install, "_installer", lambda: ["pip", "install"])
    monkeypatch.setattr(
        sysconfig, "get_config_var", {toolchain.variable: f"{compiler} -pthread"}.get
    )
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tools))
    assert install.command("pyeda", toolchain=toolchain) == line
    (tmp_path / "Python.h").unlink()
    needed = f"apt install {compiler} python3-dev"
    assert install.command("pyeda", toolchain=toolchain) == f"{needed} && {line}"
    (tools / "apt").unlink()
    assert install.command("pyeda", toolchain=toolchain) == (
        f"{line} (needs {compiler} and the Python headers)"
    )


def test_the_compiler_flag_of_the_readme_is_the_one_of_the_message():
    readme = (ROOT / "README.md").read_text()
    assert f"CPPFLAGS='{Backend.named('pyeda').toolchain.flags}' " in readme


def test_all_encodings_are_those_that_work_here(monkeypatch):
    def why(load, name, _caller=None):
        return "needs pindakaas" if name.startswith("pindakaas") else None

    monkeypatch.setattr(combinations, "why_unavailable", why)
    named = (["cadical195"], [Queens(8)], Task.FIRST)
    encodings, _, left_out = combinations.without_all(["all"], *named, limits=Limits(), seeds=None)
    assert "product" in encodings
    assert not [name for name in encodings if name.startswith("pindakaas")]
    assert set(left_out.values()) == {"needs pindakaas"}
    also, _, left_out = combinations.without_all(
        ["all", *left_out], *named, limits=Limits(), seeds=None
    )
    assert left_out == {}
    assert set(also) > set(encodings)


def test_an_encoding_that_no_backend_takes_stops_no_other():
    campaign = Campaign(
        problems=[Queens(4)], encodings=["pairwise", "native"], backends=["minisat22"]
    )
    assert {run.encoding for run in campaign.runs()} == {"pairwise"}
    (note,) = campaign.notes
    assert note.startswith("left out: encoding 'native' makes a cnf+: none of the backends")
    with pytest.raises(InputError, match="none of the encodings native makes one"):
        Campaign(problems=[Queens(4)], encodings=["native"], backends=["minisat22"]).runs()
