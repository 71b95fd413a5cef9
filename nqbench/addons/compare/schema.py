"""The JSON Schema of a comparison of two campaigns, as `nqbench compare --json` prints it."""

from typing import Any, Final

import polars as pl

from nqbench.addons.compare.changes import OF_RATIO
from nqbench.addons.compare.document import FORMAT
from nqbench.addons.compare.outcomes import What
from nqbench.addons.compare.sessions import Sessions
from nqbench.records.json_schema import DIALECT

IDENTIFIER: Final = f"urn:nqbench:comparison:{FORMAT}"

_TEXT: Final = {"type": "string"}
_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER_OR_NULL: Final = {"type": ["number", "null"]}
_BOOLEAN: Final = {"type": "boolean"}
_COUNT_OR_NULL: Final = {"type": ["integer", "null"], "minimum": 0}
_KINDS: Final = {pl.Int64: _COUNT, pl.Float64: _NUMBER_OR_NULL}


def document() -> dict[str, Any]:
    """The schema, in the draft 2020-12. Later versions may have further keys."""
    of_campaign = _object(runs=_COUNT, machines=_list(_TEXT), harnesses=_list(_TEXT))
    whose = {"encoding": _TEXT, "backend": _TEXT}
    values = {"old": _TEXT_OR_NULL, "new": _TEXT_OR_NULL}
    extent = {"runs": _COUNT, "example": _TEXT}
    why = {"why": _TEXT_OR_NULL}
    of_ratio = {name: _KINDS[kind] for name, kind in OF_RATIO.items()}
    gate = _object(
        fail_above=_NUMBER_OR_NULL,
        fail_on_change=_BOOLEAN,
        allow_missing=_BOOLEAN,
        fail_blind=_NUMBER_OR_NULL,
        unseen=_NUMBER_OR_NULL,
        asks_again=_BOOLEAN,
        failed=_BOOLEAN,
        failures=_list(_TEXT),
        nothing_compared=_TEXT_OR_NULL,
    )
    outcomes = {"enum": [str(outcome) for outcome in What]}
    changes = {"quantity": _TEXT, "encoding": _TEXT, "backend": _TEXT_OR_NULL}
    problem = {"family": _TEXT, "instance": _TEXT, "n": {"type": ["integer", "null"]}}
    solved = {"task": _TEXT, "change": {"enum": ["solved", "unsolved"]}}
    decided = {"rests_on": _COUNT_OR_NULL, "worse": _BOOLEAN, "can_be_decided": _BOOLEAN}
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": "A comparison of two campaigns by nqbench",
        "description": "The output of `nqbench compare --json`.",
        **_object(
            format={"const": FORMAT},
            nqbench=_TEXT,
            metric=_TEXT,
            old=of_campaign,
            new=of_campaign,
            besides=_rows(what=_TEXT, **dict.fromkeys(("names", "old", "new"), _list(_TEXT))),
            outcomes=_rows(what=outcomes, **whose, **extent, **values, **why),
            common_runs=_COUNT,
            missing=_rows(**whose, **values, problems=_COUNT, **extent, **why),
            changes=_rows(**changes, **extent, **values),
            solved=_rows(**whose, **problem, **solved),
            machine=_NUMBER_OR_NULL,
            sessions={"enum": [*map(str, Sessions), None]},
            ratios=_rows(**whose, **(of_ratio | decided)),
            boards_without_ratio=_COUNT,
            boards_without_value={"type": "object", "additionalProperties": _COUNT},
            zeros_counted_as_1=_COUNT,
            gate=gate,
        ),
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _rows(**properties: Any) -> dict[str, Any]:
    return _list(_object(**properties))
