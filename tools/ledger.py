"""The ledger: published claims, each compared with what nqbench measures.

A claim is a file `claims/NAME.toml`:

    title = "Two sides of a claim fit on a line of the table"
    claim = "What is claimed, in our own words."
    verdict = "corrected"       # or holds, does not carry over, undecided
    measured = "What nqbench measured, with numbers."
    witness = "What contradicts the claim. For `corrected` and `does not carry over`, and only for
    these."

    data = "Where the files are that the commands read, if they are not in the repository."

    [source]                    # only the title is required
    author = "A. Author"
    title = "Title"
    venue = "Journal 1"
    year = 1999
    pages = "1-10"

    [[command]]                 # in the order in which to run them, in one folder
    run = "nqbench count --n 8"
    seconds = 1                 # how long it takes
    prints = "92"               # its output, with `...` for any text; optional

The tests repeat the commands that take at most `QUICK_S` seconds, if the claim needs no `data`.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Annotated

import msgspec

from nqbench.common.units import duration

QUICK_S = 5
"""The tests repeat the commands that take at most so long."""

TESTED = "<!-- elsewhere: tests/pages/test_claims.py -->"
"""Above blocks of commands, which `tests/pages/test_documents.py` would execute otherwise."""

Words = Annotated[str, msgspec.Meta(pattern=r"\S")]
Title = Annotated[str, msgspec.Meta(pattern=r"\A\w+((, |[ -])\w+)*\Z", max_length=64)]
"""Fits into the table, and has an anchor that GitHub and MkDocs agree on."""


class Verdict(StrEnum):
    """What the measurement says about the claim."""

    HOLDS = "holds"
    CORRECTED = "corrected"
    NOT_HERE = "does not carry over"
    UNDECIDED = "undecided"


WITNESSED = (Verdict.CORRECTED, Verdict.NOT_HERE)
"""The verdicts of claims that something contradicts."""


class Source(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Where the claim was published."""

    title: Words
    author: Words | None = None
    venue: Words | None = None
    year: int | None = None
    pages: Words | None = None

    def __str__(self) -> str:
        pages = f"p. {self.pages}" if self.pages else None
        stated = (self.author, f'"{self.title}"', self.venue, self.year, pages)
        return ", ".join(str(each) for each in stated if each)


class Command(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A command of nqbench, how long it takes, and its output if that matters."""

    run: Annotated[str, msgspec.Meta(pattern=r"\Anqbench \S")]
    seconds: Annotated[int, msgspec.Meta(ge=1)]
    prints: Words | None = None

    @property
    def output(self) -> str:
        """Its output, as on the page."""
        return (self.prints or "...").strip()

    @property
    def is_quick(self) -> bool:
        """Whether the tests repeat it."""
        return self.seconds <= QUICK_S


class Claim(
    msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"commands": "command"}
):
    """A claim, and what nqbench measured."""

    title: Title
    claim: Words
    verdict: Verdict
    measured: Words
    source: Source
    commands: Annotated[list[Command], msgspec.Meta(min_length=1)]
    witness: Words | None = None
    data: Words | None = None

    def __post_init__(self) -> None:
        if (self.verdict in WITNESSED) != bool(self.witness):
            raise ValueError(f"a witness goes with {' and '.join(WITNESSED)}, and only with these")
        if not any(command.prints and command.is_quick for command in self.commands):
            raise ValueError(f"no output of a command that takes at most {QUICK_S} s")


def read(folder: Path) -> dict[str, Claim]:
    """The claims in the files of a folder, by the names of the files without suffix, in order.

    Raises `ValueError` with the file for what is not a claim.
    """
    return {path.stem: _claim(path) for path in sorted(folder.glob("*.toml"))}


def _claim(path: Path) -> Claim:
    try:
        return msgspec.convert(tomllib.loads(path.read_text()), Claim)
    except ValueError as error:  # of TOML, of msgspec, and that of the claim
        raise ValueError(f"{path}: {error}") from error


def page(claims: Sequence[Claim]) -> Iterator[str]:
    """The parts of a page: how many claims hold, a table of all, and a section for each."""
    verdicts = Counter(claim.verdict for claim in claims)
    of = ", ".join(f"{verdict} {verdicts[verdict]}" for verdict in Verdict)
    yield f"Of {len(claims)} claims: {of}."
    rows = [f"| [{claim.title}](#{anchor(claim.title)}) | {claim.verdict} |" for claim in claims]
    yield "\n".join(["| claim | verdict |", "| --- | --- |", *rows])
    for claim in claims:
        yield from section(claim)


def anchor(title: str) -> str:
    """The anchor of a heading, on GitHub and in MkDocs."""
    return re.sub(r"[^\w -]", "", title).replace(" ", "-").lower()


def section(claim: Claim) -> Iterator[str]:
    """What is claimed, by whom, what was measured, and the commands to repeat it."""
    yield f"## {claim.title}"
    yield f"**Claim.** {claim.claim.strip()}"
    yield f"Source: {claim.source}."
    yield f"**{claim.verdict.capitalize()}.** {claim.measured.strip()}"
    if claim.data:
        yield f"**Data.** {claim.data.strip()}"
    if claim.witness:
        yield f"**Witness.** {claim.witness.strip()}"
    for is_quick, commands in groupby(claim.commands, lambda command: command.is_quick):
        listed = list(commands)
        if not is_quick:
            yield f"In about {duration(sum(command.seconds for command in listed))}:"
        shown = "\n".join(f"$ {command.run}\n{command.output}" for command in listed)
        yield f"{TESTED}\n```console\n{shown}\n```"
