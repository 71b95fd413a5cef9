"""The README of a bundle names what has to be allowed."""

import polars as pl

from nqbench.addons.bundle.readme import Facts, text

TABLE = pl.DataFrame({"backend": ["exe:/opt/a solver"]})


def readme(programs):
    return text(Facts("t", "m.", [], TABLE, TABLE, [], {}, {}, [], None, programs=programs))


def test_the_command_allows_the_programs_of_the_bundle():
    shown = readme(["exe:/opt/a solver", "mine.py:A"])
    command = "replay BUNDLE.zip --allow-program 'exe:/opt/a solver' --allow-program mine.py:A\n"
    assert command in shown
    assert "leave it out if you do not" in shown
    assert "--allow-program" not in readme([])
