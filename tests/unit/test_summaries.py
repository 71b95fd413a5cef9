"""What a summary says of twelve typical stores is what was read and found right."""

import typical_stores


def test_the_summaries_of_typical_stores_are_those_that_were_read():
    """If a difference is right: python tests/helpers/typical_stores.py, and read it."""
    text = typical_stores.summaries()
    assert text == typical_stores.GOLDEN.read_text()
    # A command that somebody copies is not broken into lines.
    assert max(len(line) for line in text.splitlines() if "nqbench use" not in line) <= 80
