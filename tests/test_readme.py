"""The README, CI and the project metadata have to agree."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def commands():
    readme = (ROOT / "README.md").read_text()
    return re.findall(r"^python3 -m venv .*$", readme, re.MULTILINE)


def test_the_readme_has_two_commands_and_ci_runs_the_second():
    main_job, tests = commands()
    assert main_job.endswith("-m nqbench --n 4..30")
    assert (ROOT / ".ci" / "run").read_text().splitlines()[-1] == tests
