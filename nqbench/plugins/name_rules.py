"""Names of backends with a meaning of their own, such as `git:../solver@main~5..main`.

A component is found by what stands before the first colon. If an add-on declares rules for that in
the group `nqbench.names`, they say which components such a name means, what permission for it is
permission for, and what has to be made before the first run.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from nqbench.plugins.declared import NAMES, declared

Tell = Callable[[str], None]
"""Called with a line for the user about what takes long."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of a component in the history of its `source`: its `name` there, such as digits of
    a commit; its date in UTC; its place, by which those of one branch are ordered; what it is
    about; and the name of the one before it. Without a record of them, the place is None, and the
    others are empty.
    """

    source: str
    name: str
    date: str = ""
    place: int | None = None
    subject: str = ""
    before: str = ""


class NameRules(Protocol):
    """What names with one beginning mean."""

    def expanded(self, name: str) -> list[str]:
        """The names of the components that are meant by one. Raises `InputError`."""

    def trusted(self, name: str) -> str:
        """What is trusted if this name is, such as the repository of a commit."""

    def unversioned(self, name: str) -> str:
        """The name without what tells versions of one component apart, such as a revision."""

    def revision(self, name: str, version: str) -> Revision | None:  # noqa: ARG002
        """Where the component is in a history, by its name and recorded version; None if it is in
        none.
        """
        return None

    def missing(self, names: Sequence[str]) -> dict[str, str]:
        """What has to be made first, in words, by the name that needs it. Raises `InputError`."""

    def make(self, names: Sequence[str], tell: Tell) -> None:
        """Make what is missing. Raises `InputError`; what cannot be made is unavailable later."""


def rules_of(name: str) -> NameRules | None:
    """The rules for a name; None for one that means what it says."""
    prefix, colon, _ = name.partition(":")
    entry = declared(NAMES).get(prefix.lower()) if colon else None
    if entry is None:
        return None
    rules: NameRules = entry.load()
    return rules


def expanded(names: Iterable[str]) -> list[str]:
    """The names that are meant by these. Raises `InputError`."""
    every: list[str] = []
    for name in names:
        rules = rules_of(name)
        every += rules.expanded(name) if rules else [name]
    return every


def unversioned(name: str) -> str:
    """The name that this one has in common with other versions of the same component."""
    rules = rules_of(name)
    return rules.unversioned(name) if rules else name


def revision_of(name: str, version: str) -> Revision | None:
    """Where a component of this name and recorded version is in a history; None if in none."""
    rules = rules_of(name)
    return rules.revision(name, version) if rules else None


def missing(names: Iterable[str]) -> dict[str, str]:
    """What has to be made for these names, in words, by name. Raises `InputError`."""
    every: dict[str, str] = {}
    for rules, own in _by_rules(names):
        every |= rules.missing(own)
    return every


def make(names: Iterable[str], tell: Tell) -> None:
    """Make what is missing for these names; `tell` hears of each. Raises `InputError`."""
    for rules, own in _by_rules(names):
        rules.make(own, tell)


def _by_rules(names: Iterable[str]) -> list[tuple[NameRules, list[str]]]:
    by_prefix: dict[str, tuple[NameRules, list[str]]] = {}
    for name in names:
        if rules := rules_of(name):
            prefix = name.partition(":")[0].lower()
            by_prefix.setdefault(prefix, (rules, []))[1].append(name)
    return list(by_prefix.values())
