"""The environments of `tox.ini`, and those that are tried in small."""

import configparser

from places import ROOT

SMALL = {
    "coverage": "tests/unit/test_limits.py",
    "mutation": "--most 1 checking/verify",
    "reference": "--shard 1/60 --time-limit 50ms",
}
"""Arguments for an environment that make it end quickly."""


def read():
    """The sections of `tox.ini`."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "tox.ini")
    return parser
