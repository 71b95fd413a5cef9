"""Results as one file for somebody else, who can check it and measure its runs again."""

from typing import Final

from nqbench.plugins.declared import Command

BUNDLE: Final = Command(
    "Share results",
    "nqbench.addons.bundle.command:bundle",
    "Write the results as one file for somebody else.",
)

REPLAY: Final = Command(
    "Share results",
    "nqbench.addons.bundle.replay_command:replay",
    "Measure the runs of a bundle again.",
)
