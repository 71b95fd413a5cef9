"""What changed between two campaigns, and gates on that.

changes   what differs exactly, and ratios of times or counters
sessions  how much campaigns of one code differ
missing   what only one of them has or measured
outcomes  answers that are wrong or lost, crashes, missing solvers
besides   what differs besides, such as versions, limits and machines
gate      all of that as one comparison, and what trips
notes     sentences about it
document  the comparison as JSON; `schema` describes it
"""

from typing import Final

from nqbench.plugins.declared import Command

COMPARE: Final = Command(
    "Read results",
    "nqbench.addons.compare.command:compare",
    "Show what changed between two campaigns.",
    example="nqbench compare before/ after/ --fail-above 10%",
    after="plot",
)
