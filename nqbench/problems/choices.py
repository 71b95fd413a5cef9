"""A cover seen as choices: every solution makes each choice, by one of its options.

The choices are primary items that share no option and together have all of them, such as the rows
of a board, the cells of a Latin square or the vertices of a graph. Some encodings have variables
for choices instead of options. They state which options exclude each other, and not that the other
primary items are covered, which must follow by counting: all choices together cover at least as
many of them as there are, and each item at most once.
"""

import numpy as np

from nqbench.problems.cover import Cover, Items


def find(cover: Cover) -> Items | None:
    """The options of each choice, shape (choices, most), with 0 where a choice has fewer than
    `most`; None if the options form no choices. An item is a choice if no earlier item has one of
    its options.
    """
    choice_of = np.zeros(cover.num_options + 1, dtype=np.int64)
    choices: list[list[int]] = []
    other_items = np.zeros(cover.num_options + 1, dtype=np.int64)
    num_others = 0
    for items in cover.primary:
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
