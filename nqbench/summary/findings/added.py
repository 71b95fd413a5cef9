"""Sentences that add-ons declare, by entry points in the group `nqbench.sentences`."""

from nqbench.plugins.declared import SENTENCES, declared
from nqbench.summary.measured import Measured


def added(measured: Measured) -> list[str]:
    """What add-ons say of these records."""
    return [
        sentence
        for entry in declared(SENTENCES).values()
        for sentence in entry.load()(measured.records)
    ]
