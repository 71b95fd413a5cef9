"""A search shown step by step: on the terminal, in a page, as GIF, or in a window."""

from typing import Final

from nqbench.plugins.declared import Command

WATCH: Final = Command(
    "Boards",
    "nqbench.addons.teaching.command:watch",
    "Watch a search place its queens.",
    example="nqbench watch --n 8                          show a search step by step",
)
