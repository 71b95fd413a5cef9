"""`list` and `doctor`: show the names for the command line, and what works here."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import click
import msgspec

from nqbench.backends.base import Backend
from nqbench.cli.guesses import OpenGroup
from nqbench.cli.options.shared_options import (
    BACKEND,
    BOARD_SIZE,
    format_option,
    json_option,
    separated,
)
from nqbench.cli.printing.tables import parameters_of, print_components, print_table
from nqbench.cli.printing.waiting import shown_while_waiting
from nqbench.common import compression
from nqbench.common.errors import UnavailableError
from nqbench.common.limits import PatientLimits
from nqbench.common.spelling import with_all
from nqbench.common.vocabulary import Form, Outcome
from nqbench.encodings.base import Encoding, complete_encoding_names
from nqbench.plugins import backend_names, family_names, lists
from nqbench.plugins.availability import why_each_not_working
from nqbench.problems.base import Problem
from nqbench.problems.families.base import Family
from nqbench.problems.queens import Queens
from nqbench.show.tables.columns import Column, name_column, shown
from nqbench.show.tables.formats import to_json

_ENCODING_S: Final = 20.0
"""Time limit for each encoding of a list."""


@click.group(name="list", cls=OpenGroup)
def list_() -> None:
    """List encodings, backends, families of problems and other components, by the names that
    options take.

    \b
    Examples:
      nqbench list encodings --n 16
      nqbench list backends --json
    """


@list_.command()
@click.option("-n", "--n", type=BOARD_SIZE, default=8, show_default=True, help="Board size.")
@format_option
def encodings(n: int, kind: str, width: str) -> None:
    """List encodings: what each does, the size of what it makes for a board, its parameters, and
    its source. At-most-one schemes come first.

    \b
    Examples:
      nqbench list encodings
      nqbench list encodings --n 16 --json
      nqbench list encodings --format latex > encodings.tex
    """
    columns = [
        name_column("name"),
        Column("what", 9, wraps=32, title="what it does"),
        Column("variables", 7),
        Column("clauses", 8),
        Column("literals", 2),
        Column("constraints", 1),
        Column("parameters", 3, wraps=24),
        Column("reference", 6, wraps=32),
    ]
    facts = [_encoding_facts(name, n) for name in _shown(_schemes_first())]
    title = f"Encodings, with the size of what each makes for n-queens with n = {n}"
    print_components(columns, facts, kind, width, "encodings", title)


def _schemes_first() -> list[str]:
    """The names of encodings: at-most-one schemes, other encodings, and those that are not
    installed.
    """

    def rank(name: str) -> int:
        try:
            encoding = Encoding.named(name)
        except UnavailableError:
            return 2
        is_scheme = encoding.rewrites and encoding.only_for is Problem
        return 0 if is_scheme and encoding.makes is Form.CNF else 1

    return sorted(complete_encoding_names(), key=rank)


def _shown(names: Sequence[str]) -> Iterator[str]:
    """The names of components, each shown on a terminal while it is tried."""
    with shown_while_waiting("trying") as line:
        for name in names:
            line.doing = f"trying {name}"
            yield name


def _no_facts(name: str, why: str, what: str = "") -> dict[str, object]:
    from nqbench.problems.instances import Size

    facts = {"name": name, "what": what, **asdict(Size())}
    return facts | {"parameters": None, "reference": why}


def _encoding_facts(name: str, n: int) -> dict[str, object]:
    from nqbench import isolate
    from nqbench.problems.instances import Size

    try:
        encoding = Encoding.named(name)
        encoding.probe()
        if reason := encoding.why_not(Queens(n)):
            return _no_facts(name, reason, encoding.what_it_does)
    except UnavailableError as error:
        return _no_facts(name, f"unavailable: {error}")
    ending = isolate.call(lambda: _packed_size(encoding, n), PatientLimits(_ENCODING_S))
    if ending.outcome is not Outcome.FINISHED:
        return _no_facts(name, f"fails at n={n}: {ending.message}", encoding.what_it_does)
    return {
        "name": name,
        "what": encoding.what_it_does,
        **asdict(msgspec.msgpack.decode(ending.payload, type=Size)),
        "parameters": parameters_of(encoding),
        "reference": encoding.reference,
    }


def _packed_size(encoding: "Encoding", n: int) -> bytes:
    """The packed `Size` of what an encoding makes, after a check."""
    from nqbench.problems import instances as instance

    encoded = encoding.encode(Queens(n))
    instance.check_instance(encoded)
    return msgspec.msgpack.encode(instance.instance_size(encoded))


@list_.command()
@format_option
def backends(kind: str, width: str) -> None:
    """List backends: what each takes and can do, and whether it works here or how to install it.

    Each backend solves a tiny instance as a self-test. What works is not tried again until Python,
    nqbench, an installed package or the solver's file changes; `nqbench doctor` tries all.

    \b
    Examples:
      nqbench list backends
      nqbench list backends --json
    """
    with shown_while_waiting("trying") as line:

        def show(name: str) -> None:
            line.doing = f"trying {name}"

        reasons = why_each_not_working(Backend, backend_names(), show)
    facts = [_backend_facts(name, reason) for name, reason in reasons.items()]
    columns = [
        name_column("name"),
        Column("version", 2, wraps=18),
        Column("takes", 3),
        Column("parameters", 1, wraps=16),
        Column("capabilities", 4, wraps=23, title="can", show=_abilities),
        Column("reason", 9, wraps=24, title="here", show=lambda why: shown(why or "works")),
    ]
    print_components(columns, facts, kind, width, "backends", "Backends, and what each can do")


def _abilities(capabilities: Mapping[str, bool] | None) -> str:
    """Describe what a backend can do. Most are complete, so only incomplete ones are marked."""
    able = dict(capabilities or {})
    incomplete = ["incomplete"] if not able.pop("complete", True) else []
    return " ".join([name for name in able if able[name]] + incomplete)


def _backend_facts(name: str, reason: str | None) -> dict[str, Any]:
    facts: dict[str, Any] = dict.fromkeys(
        ("name", "version", "takes", "parameters", "capabilities")
    )
    facts |= {"name": name, "available": False, "reason": reason}
    try:
        backend = Backend.named(name)
    except UnavailableError:
        return facts
    return facts | {
        "version": backend.version,
        "takes": backend.takes,
        "parameters": parameters_of(backend),
        "capabilities": asdict(backend.capabilities),
        "available": reason is None,
    }


@list_.command()
@format_option
def families(kind: str, width: str) -> None:
    """List families of problems: what each asks, what its problems are made from, and what a
    density of 1 means for random ones.

    \b
    Examples:
      nqbench list families
      nqbench list families --json
    """
    facts = [_family_facts(name) for name in family_names()]
    columns = [
        name_column("name"),
        Column("meaning", 9, wraps=16),
        Column("takes", 8, wraps=12),
        Column("density", 3, wraps=12),
        Column("parameters", 2, wraps=16),
        Column("reference", 1, wraps=16),
    ]
    print_components(columns, facts, kind, width, "families", "Families of problems")


def _family_facts(name: str) -> dict[str, object]:
    facts: dict[str, object] = dict.fromkeys(("name", "meaning", "takes", "density", "parameters"))
    try:
        family = Family.named(name)
    except UnavailableError as error:
        return facts | {"name": name, "meaning": f"unavailable: {error}", "reference": None}
    takes = {
        "n": family.has_sizes or family.is_random,
        "density": bool(family.measure),
        "seed": family.is_random,
        _suffixes(family): bool(family.suffixes),
    }
    return {
        "name": name,
        "meaning": family.meaning,
        "takes": ", ".join(input_ for input_, is_taken in takes.items() if is_taken),
        "density": family.measure or None,
        "parameters": parameters_of(family),
        "reference": family.reference,
    }


def _suffixes(family: Family) -> str:
    """How the names of a family's files end. Packed ones are not listed one by one."""
    plain = [suffix for suffix in family.suffixes if not suffix.endswith(compression.SUFFIXES)]
    also = ["also packed"] if len(plain) < len(family.suffixes) else []
    return ", ".join([" ".join(plain), *also])


@click.command(name="doctor")
@click.option(
    "--backend",
    "backends",
    metavar="NAME",
    multiple=True,
    type=BACKEND,
    callback=separated(lists.BACKENDS),
    help="Also examine this backend, for example exe:/opt/solver. Repeat, or separate by comma.",
)
@json_option
def doctor(backends: Sequence[str] | None, as_json: bool) -> None:
    """Report what is installed, what works, and what would make timings unreliable.

    \b
    Examples:
      nqbench doctor
      nqbench doctor --backend exe:/opt/kissat --backend ipasir:/opt/libsolver.so
    """
    from nqbench.measure.doctor import examine

    columns = [Column("level"), name_column("subject"), Column("message", wraps=20)]
    with shown_while_waiting("examining") as line:

        def show(subject: str) -> None:
            line.doing = f"examining {subject}"

        findings = [asdict(finding) for finding in examine(with_all(backends or (), list), show)]
    if as_json:
        click.echo(to_json(findings), nl=False)
    else:
        print_table(columns, findings)
