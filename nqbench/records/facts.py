"""Environments and sessions as rows of a store: a key, and the facts as JSON."""

import hashlib
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

import msgspec

from nqbench.common.errors import InputError, at
from nqbench.common.machine.environment import Conditions, Environment, Session
from nqbench.records import columns
from nqbench.records.columns import shown

_LONGEST: Final = 16 * 2**20
_COLUMNS: Final = {kind: columns.declared(kind) for kind in (Environment, Session, Conditions)}

F = TypeVar("F", Environment, Session)


def of_environment(environment: Environment) -> tuple[str, str]:
    """The row of an environment."""
    return environment.id, msgspec.json.encode(environment).decode()


def of_session(session: Session) -> tuple[float, str]:
    """The row of a session."""
    return session.started.at, msgspec.json.encode(session).decode()


def environment(key: object, facts: object) -> Environment:
    """The environment in a row. Raises `InputError` for a row that nqbench would not write."""
    with at(f"environment {shown(key)}"):
        decoded = _decoded(facts, Environment)
        # Before there were builds, the id was a hash of the facts as they are stored.
        if key not in (decoded.id, _hash(facts)):
            raise InputError("its id is not that of its facts")
    return decoded


def session(key: object, facts: object) -> Session:
    """The session in a row. Raises `InputError` for a row that nqbench would not write."""
    with at(f"session {shown(key)}"):
        decoded = _decoded(facts, Session)
        if key != decoded.started.at:
            raise InputError("it is stored under another start")
    return decoded


def _decoded(facts: object, kind: type[F]) -> F:
    if not isinstance(facts, str):
        raise InputError(f"facts is {shown(facts)}, which is not of type text")
    if len(facts) > _LONGEST:
        raise InputError(f"facts has {len(facts)} characters")
    try:
        decoded = msgspec.json.decode(facts, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise InputError(f"facts: {error}") from error
    if flaw := _flaw(decoded):
        raise InputError(flaw)
    return decoded


def _flaw(facts: Any) -> str | None:
    declared = _COLUMNS[type(facts)]
    for field in fields(facts):
        value = getattr(facts, field.name)
        flaw = _flaw(value) if is_dataclass(value) else None
        # A command may be of any length.
        if field.name in declared and not isinstance(value, str):
            flaw = declared[field.name].flaw(value)
        if flaw:
            return f"{field.name} {flaw}"
    return None


def _hash(facts: object) -> str:
    return hashlib.blake2b(str(facts).encode(), digest_size=8).hexdigest()
