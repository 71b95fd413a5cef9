"""The pages of the site in the groups of its navigation, as cards."""

import re
from collections.abc import Iterator
from typing import Final

_ENTRY: Final = re.compile(r"^( *)- (.+?):(?: (\S+\.md))?$", re.MULTILINE)
_STEP: Final = 4
"""Spaces by which an entry is further in than its group."""

_FIRST: Final = 2
"""Spaces before the entries of the top."""

_WITHOUT_GROUP: Final = "Begin"


def entries(settings: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """For each page, the groups that it is in, its title and its file, from the text of
    `mkdocs.yml`.
    """
    groups: list[str] = []
    for indent, title, file in _ENTRY.findall(settings.partition("\nnav:\n")[2]):
        del groups[(len(indent) - _FIRST) // _STEP :]
        if file:
            yield tuple(groups), title, file
        else:
            groups.append(title)


def cards(settings: str) -> Iterator[str]:
    """A card for each group of pages, with a link to each page but the home page."""
    by_group: dict[tuple[str, ...], list[str]] = {}
    for groups, title, file in entries(settings):
        if file != "index.md":
            by_group.setdefault(groups, []).append(f"[{title}]({_path(file)})")
    yield '<div class="grid cards" markdown>'
    for groups, links in by_group.items():
        heading = groups[-1] if groups else _WITHOUT_GROUP
        yield f"- **{heading}**" + "".join(f"\n    - {link}" for link in links)
    yield "</div>"


def _path(file: str) -> str:
    """The path of a page from `docs`, where the results are beside it."""
    return f"../{file}" if file.startswith("results/") else file
