"""What packages nqbench agrees with its metadata: the conda recipe, the container, the sdist."""

import re
import subprocess
import tomllib

import yaml
from packaging.requirements import Requirement
from places import ROOT

METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = METADATA["project"]
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
CONTAINER = (ROOT / "Containerfile").read_text()
ELSEWHERE = {"matplotlib": "matplotlib-base"}
"""Distributions that have another name on conda-forge."""


def as_conda_names(requirement):
    """A requirement as the recipe states it; conda-forge has it for every version of Python."""
    parsed = Requirement(requirement)
    return f"{ELSEWHERE.get(parsed.name, parsed.name)} {parsed.specifier}"


def test_the_recipe_needs_what_pip_installs():
    stated = [as_conda_names(each) for each in PROJECT["dependencies"]]
    python = f"python {PROJECT['requires-python']}"
    assert RECIPE["requirements"]["run"] == [python, *stated]
    built = [as_conda_names(each) for each in METADATA["build-system"]["requires"]]
    assert set(built) < set(RECIPE["requirements"]["host"])


def test_the_recipe_describes_this_project():
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert RECIPE["package"]["name"] == PROJECT["name"]
    about = RECIPE["about"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert [about["license_file"]] == PROJECT["license-files"]
    urls = (about["homepage"], about["documentation"])
    assert urls == (PROJECT["urls"]["Source"], PROJECT["urls"]["Documentation"])
    programs = [f"{name} = {where}" for name, where in PROJECT["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == programs


def test_the_container_gets_what_pip_needs_and_extras_that_exist():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    given = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert all((ROOT / name).exists() for name in given)
    needed = {"pyproject.toml", "setup.py", "nqbench", PROJECT["readme"], *PROJECT["license-files"]}
    assert needed <= set(given)
    (extras,) = re.findall(r"/nqbench\[([\w,-]+)\]", CONTAINER)
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()
    # As the README compiles PyEDA.
    (flags,) = re.findall(r'CPPFLAGS="(.*?)"', CONTAINER)
    assert f"CPPFLAGS='{flags}'" in (ROOT / "README.md").read_text()


def test_one_wheel_of_the_limited_api_is_built_for_each_machine():
    oldest = PROJECT["requires-python"].removeprefix(">=").replace(".", "")
    assert METADATA["tool"]["cibuildwheel"]["build"] == f"cp{oldest}-manylinux_*"
    assert f'"py_limited_api": "cp{oldest}"' in (ROOT / "setup.py").read_text()


def test_every_file_at_the_top_is_in_the_source_distribution():
    manifest = (ROOT / "MANIFEST.in").read_text()
    lines = re.findall(r"^include (.*)$", manifest, re.MULTILINE)
    included = {name for line in lines for name in line.split()}
    by_setuptools = {"LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"}
    for_clones = {".gitignore", ".pre-commit-config.yaml"}
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    at_the_top = {name for name in listed if "/" not in name}
    assert at_the_top == included | by_setuptools | for_clones
