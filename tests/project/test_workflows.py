"""The action and the workflows have what GitHub needs, and name what exists."""

import re
import tomllib

import pytest
import yaml
from places import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
FILES = sorted([*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob("examples/**/*.yml")])
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = METADATA["urls"]["Source"].removeprefix("https://github.com/")


def workflow(path):
    return yaml.safe_load(path.read_text())


def steps():
    """Each step of the action and of the workflows, with the file that has it."""
    yield from (("action.yml", step) for step in ACTION["runs"]["steps"])
    for path in FILES:
        for job in workflow(path)["jobs"].values():
            yield from ((path.name, step) for step in job["steps"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_workflow_has_what_github_needs(path):
    found = workflow(path)
    # YAML 1.1 reads the key `on` as true.
    assert found[True]
    assert found["jobs"]
    for job in found["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"]
        assert set(job.get("needs", [])) <= found["jobs"].keys()


def test_a_step_runs_a_command_or_an_action_of_a_stated_version():
    for name, step in steps():
        assert ("run" in step) != ("uses" in step), (name, step)
        if "uses" in step and not step["uses"].startswith("docker://"):
            assert re.fullmatch(r"[\w./-]+@(v\d+|release/v\d+|main)", step["uses"]), step["uses"]
            assert "@main" not in step["uses"] or step["uses"].startswith(OURS)


def test_no_command_contains_an_expression():
    """Text from a pull request would be a part of the command. It belongs into `env`."""
    for name, step in steps():
        assert "${{" not in step.get("run", ""), (name, step)


def test_the_action_uses_each_input_and_says_what_it_is():
    assert ACTION["runs"]["using"] == "composite"
    text = (ROOT / "action.yml").read_text()
    assert {*re.findall(r"\$\{\{ inputs\.([\w-]+) \}\}", text)} == ACTION["inputs"].keys()
    for step in ACTION["runs"]["steps"]:
        assert "uses" in step or step["shell"] == "bash"
    for name, stated in ACTION["inputs"].items():
        assert stated["description"], name
        # An input is text: YAML would make a number of 3.10, and a boolean of true.
        assert stated.get("required") or isinstance(stated["default"], str), name
    for name, stated in ACTION["outputs"].items():
        assert stated["value"] == f"${{{{ steps.compare.outputs.{name} }}}}"


def test_the_page_lists_the_inputs_with_their_defaults():
    page = (ROOT / "docs" / "addons" / "compare.md").read_text()
    table = page.partition("| input |")[2].partition("\n\n")[0]
    told = dict(re.findall(r"^\| `([\w-]+)` \|(.*?)\|", table, re.MULTILINE))
    told = {name: default.strip() for name, default in told.items()}
    assert told == {
        name: "required" if stated.get("required") else f"`{stated['default']}`".replace("``", "")
        for name, stated in ACTION["inputs"].items()
    }


def test_what_an_example_passes_to_the_action_are_inputs():
    ours = [step for _, step in steps() if step.get("uses", "").startswith(f"{OURS}@")]
    assert ours
    required = {name for name, stated in ACTION["inputs"].items() if stated.get("required")}
    for step in ours:
        assert required <= step["with"].keys() <= ACTION["inputs"].keys()


RELEASE = workflow(ROOT / ".github" / "workflows" / "release.yml")["jobs"]


def test_a_release_is_published_by_trusted_publishing_only():
    """Without a password: PyPI trusts this workflow, in this environment."""
    assert {name for name, job in RELEASE.items() if "permissions" in job} == {"publish", "site"}
    publish = RELEASE["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"]["name"] == "pypi"
    (action,) = (s for s in publish["steps"] if "gh-action-pypi-publish" in s.get("uses", ""))
    assert "password" not in action.get("with", {})
    assert set(publish["needs"]) == RELEASE.keys() - {"publish", "site"}


def test_a_release_publishes_the_site_that_the_metadata_name():
    assert any("tox -e docs" in step.get("run", "") for step in RELEASE["site"]["steps"])
    owner, name = OURS.split("/")
    address = f"https://{owner}.github.io/{name}/"
    assert METADATA["urls"]["Documentation"] == address
    assert f"site_url: {address}\n" in (ROOT / "mkdocs.yml").read_text()
