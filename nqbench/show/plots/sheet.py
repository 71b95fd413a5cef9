"""The sheet of a figure: its width, the looks of its campaign, and the campaign's description."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nqbench.show.paper import Paper
from nqbench.show.plots.looks import Looks

if TYPE_CHECKING:
    from nqbench.show.plots.layout import Stack


@dataclass(frozen=True, slots=True)
class Sheet:
    """Settings that the figures of one campaign share. Without `titled`, title and campaign are
    left out. `notes` are added to each caption. With a `stack`, the figure becomes one part of it.
    """

    paper: Paper
    looks: Looks
    campaign: str
    titled: bool = True
    notes: Sequence[str] = ()
    stack: "Stack | None" = None
