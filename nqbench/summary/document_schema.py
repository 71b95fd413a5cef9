"""The JSON Schema of a comparison of two campaigns, as `nqbench compare --json` prints it."""

from typing import Any, Final

import polars as pl

from nqbench.records.json_schema import DIALECT
from nqbench.summary.compare import OF_RATIO
from nqbench.summary.document import FORMAT
from nqbench.summary.outcomes import What
from nqbench.summary.sessions import Sessions

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
    of_campaign = {"runs": _COUNT, "machines": _list(_TEXT), "harnesses": _list(_TEXT)}
    whose = {"encoding": _TEXT, "backend": _TEXT}
    values = {"old": _TEXT_OR_NULL, "new": _TEXT_OR_NULL}
    extent = {"runs": _COUNT, "example": _TEXT}
    ratio = {
        **whose,
        **{name: _KINDS[kind] for name, kind in OF_RATIO.items()},
        "rests_on": _COUNT_OR_NULL,
        "worse": _BOOLEAN,
        "can_be_decided": _BOOLEAN,
    }
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": "A comparison of two campaigns by nqbench",
        "description": "The output of `nqbench compare --json`.",
        **_object(
            {
                "format": {"const": FORMAT},
                "nqbench": _TEXT,
                "metric": _TEXT,
                "old": _object(of_campaign),
                "new": _object(of_campaign),
                "besides": _list(
                    _object({"what": _TEXT, **dict.fromkeys(("names", "old", "new"), _list(_TEXT))})
                ),
                "outcomes": _list(
                    _object(
                        {
                            "what": {"enum": [str(outcome) for outcome in What]},
                            **whose,
                            **extent,
                            **values,
                            "why": _TEXT_OR_NULL,
                        }
                    )
                ),
                "common_runs": _COUNT,
                "missing": _list(
                    _object({**whose, **values, "problems": _COUNT, **extent, "why": _TEXT_OR_NULL})
                ),
                "changes": _list(
                    _object(
                        {
                            "quantity": _TEXT,
                            "encoding": _TEXT,
                            "backend": _TEXT_OR_NULL,
                            **extent,
                            **values,
                        }
                    )
                ),
                "solved": _list(
                    _object(
                        {
                            **whose,
                            "family": _TEXT,
                            "instance": _TEXT,
                            "n": {"type": ["integer", "null"]},
                            "task": _TEXT,
                            "change": {"enum": ["solved", "unsolved"]},
                        }
                    )
                ),
                "machine": _NUMBER_OR_NULL,
                "sessions": {"enum": [*map(str, Sessions), None]},
                "ratios": _list(_object(ratio)),
                "boards_without_ratio": _COUNT,
                "boards_without_value": {"type": "object", "additionalProperties": _COUNT},
                "zeros_counted_as_1": _COUNT,
                "gate": _object(
                    {
                        "fail_above": _NUMBER_OR_NULL,
                        "fail_on_change": _BOOLEAN,
                        "allow_missing": _BOOLEAN,
                        "fail_blind": _NUMBER_OR_NULL,
                        "unseen": _NUMBER_OR_NULL,
                        "asks_again": _BOOLEAN,
                        "failed": _BOOLEAN,
                        "failures": _list(_TEXT),
                        "nothing_compared": _TEXT_OR_NULL,
                    }
                ),
            }
        ),
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
