"""Without all add-ons, all tests of the core are collected, the structure is as it should be, and
the main job works. `tests/outside/test_without_some.py` deletes some of them, and the workflow runs
all tests that are left without each add-on: `tox -e without`.
"""

import deleting
import without

OF_ALL = (
    "-k",
    "test_structure or test_addons or test_plugin_face or test_help_imports"
    " or test_every_command_is_here or test_every_page_is_in_a_group",
    "tests",
)
"""What is collected and what is run of it if the core may need an add-on."""

MAIN_JOB = "--n 4,5 --repeat 1 --encoding pairwise --backend minisat22 --results main-job"


def test_the_core_needs_no_add_on(tmp_path):
    deleting.copy(without.ADDONS, tmp_path)
    deleting.check_tests(*OF_ALL, folder=tmp_path)
    deleting.check("nqbench", *MAIN_JOB.split(), folder=tmp_path)
    made = {path.name for path in (tmp_path / "main-job").iterdir()}
    assert made >= {"nqbench.db", "report.html"}
