"""The JSON Schema of a record, as each line of an export in JSON Lines has it."""

import math
from collections.abc import Mapping
from typing import Any, Final

from nqbench.common.column_types import LARGEST_INTEGER
from nqbench.records import measures
from nqbench.records.columns import LONGEST_TEXT, OF_RECORDS, Domain
from nqbench.records.store_file import SCHEMA_VERSION

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

IDENTIFIER: Final = f"urn:nqbench:record:{SCHEMA_VERSION}"
"""The `$id` of the schema. It ends with the version of the schema of stores, which increases with
every new column.
"""

_TYPES: Final = {int: "integer", float: "number", str: "string", list: "array"}

_INTEGER: Final = {"minimum": -LARGEST_INTEGER, "maximum": LARGEST_INTEGER}

_NO_NUL: Final = "^[^\\u0000]*$"


def document() -> dict[str, Any]:
    """The schema, in the draft 2020-12: an object with every column, and with numbers as measures.

    It refuses each value that `Domain.flaw` refuses, except a whole number that is written with a
    decimal point, which is an integer in JSON Schema. Whether values agree with each other, such as
    outcome and answer, only nqbench checks.
    """
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": "A record of nqbench",
        "description": "One line of `nqbench export --format jsonl`.",
        "type": "object",
        "properties": {name: _property(column) for name, column in OF_RECORDS.items()},
        "required": list(OF_RECORDS),
        "propertyNames": {"pattern": _whole(measures.NAME)},
        "additionalProperties": {"type": ["number", "null"]},
    }


def _property(column: Domain) -> Mapping[str, Any]:
    """The schema of a column's values."""
    name = _TYPES[column.kind]
    schema: dict[str, Any] = {"type": name if column.required else [name, "null"]}
    if column.words:
        words = sorted(column.words)
        return schema | {"enum": words if column.required else [*words, None]}
    match name:
        case "string":
            return schema | _text(column)
        case "array":
            return schema | {"items": {"type": "integer", **_INTEGER}}
    return schema | _number(column)


def _text(column: Domain) -> dict[str, Any]:
    limits = {"minLength": column.shortest, "maxLength": LONGEST_TEXT}
    return limits | {"pattern": _whole(column.pattern) if column.pattern else _NO_NUL}


def _whole(pattern: str) -> str:
    """A pattern for the whole text. In some languages, $ also matches before a last line break."""
    return f"^(?:{pattern})$(?!\\n)"


def _number(column: Domain) -> dict[str, Any]:
    bounds = {"minimum": column.least, "maximum": column.most}
    limits: dict[str, Any] = dict(_INTEGER) if column.kind is int else {}
    limits |= {key: limit for key, limit in bounds.items() if math.isfinite(limit)}
    if not column.finest:
        return limits
    sizes = [{"const": 0}, {"minimum": column.finest}, {"maximum": -column.finest}]
    return limits | {"anyOf": sizes}
