"""Bundles that were changed by somebody who knows how they are made."""

import hashlib
import zipfile

CHECKSUMS = "SHA256SUMS"


def contents(path):
    """The content of each file of a bundle, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path, files):
    """Write a bundle of these files; entries of other kinds are pairs of `ZipInfo` and content."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def with_new_checksums(files):
    """The same files with the checksums that they have now."""
    lines = [
        f"{hashlib.sha256(content).hexdigest()}  {name}\n"
        for name, content in files.items()
        if name != CHECKSUMS
    ]
    return files | {CHECKSUMS: "".join(lines).encode()}
