"""A race: finds the best combination of encoding and backend without measuring the whole grid.

rules     what decides: the metric, its average, the confidence
evidence  whether one combination is worse than another, from their costs on the same problems
course    which runs are needed next, and who leaves; knows nothing of processes, files or clocks
problem_order  which problem comes when: each kind evenly among all
live      measures these runs within a budget, and records them
standing  what is known at the end, as an object and in words
"""

from typing import Final

from nqbench.plugins.declared import Command

RACE: Final = Command(
    "Start here",
    "nqbench.addons.race.command:race",
    "Find the best combination for a part of the cost.",
    example="nqbench race --n 8..64 --backend all --budget 5m     the best combination",
    after="run",
)
