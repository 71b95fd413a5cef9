"""The version of a backend from a commit, as it is in records: written when the commit is measured,
and read when results are shown.
"""

import re
from typing import Final

from nqbench.addons.revisions.repository import SHORT, Commit, is_worktree
from nqbench.plugins.name_rules import Revision

_VERSION: Final = re.compile(
    r"(?P<repository>.+?) (?P<digits>\S+) of (?P<date>\d{4}-\d\d-\d\dT[\d:]+Z)"
    r"(?:, commit (?P<place>\d+)(?: after (?P<before>\w+))?(?= '))?(?:,? '(?P<subject>.*)')?, [^']*"
)


def write_version(
    repository: str, commit: Commit, place: int | None, before: str, digests: str
) -> str:
    """The version of what was built from a commit: the repository's name, the commit, its date, its
    place in the history, the digits of its first parent, if it has one, and its subject; and
    digests of the program.
    """
    after = f" after {before}" if before else ""
    where = "" if place is None else f" commit {place}{after}"
    return f"{repository} {commit.digits} of {commit.date},{where} '{commit.subject}', {digests}"


def read_version(version: str, source: str, name: str) -> Revision:
    """The commit in a version. `source` and `name` are those in the name of the backend, of which
    the latter may be empty.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        return Revision(source, name)
    digits, place = match["digits"], match["place"]
    return Revision(
        source,
        name or (digits if is_worktree(digits) else digits[:SHORT]),
        match["date"],
        None if place is None else int(place),
        match["subject"] or "",
        match["before"] or "",
    )
