"""Constraints seen as choices: every solution makes each choice, by one of its options.

The choices are rows of exactly one option that share no option and together have all of them, such
as the rows of a board, the cells of a Latin square or the vertices of a graph. Some encodings have
variables for choices instead of options. They state which options exclude each other, and not that
the other rows have one, which must follow by counting: all choices together are in at least as many
of them as there are, and each row has at most one.
"""

import numpy as np

from nqbench.clauses.constraints import Constraints
from nqbench.problems.cover import Items


def find(constraints: Constraints) -> Items | None:
    """The options of each choice, shape (choices, most), with 0 where a choice has fewer than
    `most`; None if the options form no choices, or if there are other clauses or bounds. A row is
    a choice if no earlier one has one of its options.
    """
    if constraints.clauses or any(
        rows.bounds not in {(1, 1), (0, 1)} for rows in constraints.counted
    ):
        return None
    choice_of = np.zeros(constraints.num_variables + 1, dtype=np.int64)
    choices: list[list[int]] = []
    other_items = np.zeros(constraints.num_variables + 1, dtype=np.int64)
    num_others = 0
    exactly_one = (rows.literals for rows in constraints.counted if rows.bounds == (1, 1))
    for items in exactly_one:
        for item in items:
            if choice_of[item].any():
                other_items[item] += 1
                num_others += 1
            else:
                choices.append(item.tolist())
                choice_of[item] = len(choices)
    if (choice_of[1:] == 0).any():
        return None
    counts = [other_items[choice] for choice in choices if choice]
    fewest = sum(int(np.min(count)) for count in counts)
    if all(choices) and fewest < num_others:
        return None
    return _as_array(choices)


def _as_array(choices: list[list[int]]) -> Items:
    longest = max([1, *map(len, choices)])
    options = np.zeros((len(choices), longest), dtype=np.int32)
    for row, choice in zip(options, choices, strict=True):
        row[: len(choice)] = choice
    return options
