"""Results over versions, revisions or days: lines, the steps in them, and how they are shown."""

from typing import Final

from nqbench.plugins.declared import Command

TRENDS: Final = Command(
    "Read results",
    "nqbench.addons.trends.command:trends",
    "Show results over revisions or versions, and their steps.",
)
