"""The metadata of a bundle as an RO-Crate, which archives such as Zenodo and WorkflowHub read: what
the format requires, and no more.

S. Soiland-Reyes et al., "Packaging research artefacts with RO-Crate", Data Science 5, 2022;
https://w3id.org/ro/crate/1.1
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from nqbench.addons.bundle.license import NO_LICENSE, License

FILE: Final = "ro-crate-metadata.json"

_VERSION: Final = "https://w3id.org/ro/crate/1.1"
_ROOT: Final = "./"


@dataclass(frozen=True, slots=True)
class About:
    """What the metadata say of the bundle: title and description, the time of the last record in
    seconds since 1970, and the license.
    """

    title: str
    description: str
    ended_at: float
    license: License | None


def metadata(about: About, names: Iterable[str]) -> bytes:
    """The file with the metadata. `names` are those of the other files."""
    entries = [{"@id": name, "@type": "File"} for name in sorted(names)]
    licenses = _licenses(about.license)
    root: dict[str, Any] = {
        "@id": _ROOT,
        "@type": "Dataset",
        "name": about.title,
        "description": about.description,
        "datePublished": datetime.fromtimestamp(about.ended_at, UTC).date().isoformat(),
        "license": {"@id": licenses[0]["@id"]} if licenses else NO_LICENSE,
        "hasPart": [{"@id": part["@id"]} for part in entries],
    }
    descriptor = {
        "@id": FILE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _VERSION},
        "about": {"@id": _ROOT},
    }
    document = {
        "@context": f"{_VERSION}/context",
        "@graph": [descriptor, root, *licenses, *entries],
    }
    return msgspec.json.format(msgspec.json.encode(document)) + b"\n"


def _licenses(chosen_license: License | None) -> list[dict[str, str]]:
    """The entity that the root refers to; nothing if no license is stated."""
    if chosen_license is None:
        return []
    return [
        {
            "@id": chosen_license.address,
            "@type": "CreativeWork",
            "name": chosen_license.name,
            "description": chosen_license.description,
        }
    ]
