"""Submissions of a course, turned into formulas, of which each is judged and raced.

`submission` says what somebody handed in, `discovery` finds it in a folder, `formulas` writes it as
formulas in a sandbox, `verdict` judges each, `races` measures those that are right, `scoreboard`
has a row for each submission, and `page` shows it. `grading` does all of that and resumes.
"""

from typing import Final

from nqbench.plugins.declared import Command

GRADE: Final = Command(
    "Start here",
    "nqbench.addons.grading.command:grade",
    "Judge and compare the submissions of a course.",
    after="report",
)
