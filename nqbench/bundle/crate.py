"""The metadata of a bundle as an RO-Crate, which archives such as Zenodo and WorkflowHub read.

S. Soiland-Reyes et al., "Packaging research artefacts with RO-Crate", Data Science 5, 2022;
https://w3id.org/ro/crate/1.1
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from nqbench.bundle.license import NO_LICENSE, License

FILE: Final = "ro-crate-metadata.json"

_VERSION: Final = "https://w3id.org/ro/crate/1.1"
_ROOT: Final = "./"
_TYPES: Final = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".png": "image/png",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".gz": "application/gzip",
    ".xz": "application/x-xz",
}


@dataclass(frozen=True, slots=True)
class About:
    """What the metadata say of the whole: title and description, the time of the last record in
    seconds since 1970, the names and versions of the software that measured, and the license.
    """

    title: str
    description: str
    ended_at: float
    software: Collection[tuple[str, str]]
    license: License | None


def metadata(about: About, sizes: Mapping[str, int], meanings: Mapping[str, str]) -> bytes:
    """The file with the metadata. `sizes` are the bytes of the other files by name, and `meanings`
    what they are, by name or by folder.
    """
    parts = [_file(name, sizes[name], meanings) for name in sorted(sizes)]
    software = [
        {
            "@id": f"#{name}-{version}",
            "@type": "SoftwareApplication",
            "name": name,
            "softwareVersion": version,
        }
        for name, version in sorted(about.software)
    ]
    license_ = _license(about.license)
    day = datetime.fromtimestamp(about.ended_at, UTC).date().isoformat()
    root = {
        "@id": _ROOT,
        "@type": "Dataset",
        "name": about.title,
        "description": about.description,
        "datePublished": day,
        "license": {"@id": license_["@id"]},
        "hasPart": _ids(parts),
        "mentions": [{"@id": "#campaign"}],
    }
    campaign = {
        "@id": "#campaign",
        "@type": "CreateAction",
        "name": "The measurement of these runs",
        "endTime": datetime.fromtimestamp(about.ended_at, UTC).isoformat(timespec="seconds"),
        "instrument": _ids(software),
        "result": {"@id": "records.csv"},
    }
    descriptor = {
        "@id": FILE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": _VERSION},
        "about": {"@id": _ROOT},
    }
    graph = [descriptor, root, license_, campaign, *software, *parts]
    stated = {"@context": f"{_VERSION}/context", "@graph": graph}
    return msgspec.json.format(msgspec.json.encode(stated)) + b"\n"


def _license(of: License | None) -> dict[str, str]:
    """The entity that every crate needs; without a license, it says so."""
    if of is None:
        stated = ("#license", "No license is stated", NO_LICENSE)
    else:
        stated = (of.address, of.name, of.description)
    return {
        "@type": "CreativeWork",
        **dict(zip(("@id", "name", "description"), stated, strict=True)),
    }


def _file(name: str, size: int, meanings: Mapping[str, str]) -> dict[str, Any]:
    suffix = f".{name.rpartition('.')[2]}"
    known = {"encodingFormat": _TYPES[suffix]} if suffix in _TYPES else {}
    meaning = meanings.get(name) or meanings.get(name.partition("/")[0], "")
    stated = {"@id": name, "@type": "File", "name": name, "description": meaning}
    return stated | known | {"contentSize": str(size)}


def _ids(entities: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"@id": each["@id"]} for each in entities]
