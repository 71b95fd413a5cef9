"""The many small steps of a scheme, such as adders, written at once.

To write the few clauses of each step by itself would take longer than to find them.
"""

from collections import defaultdict

import numpy as np

from nqbench.clauses.cnf import CNF, Block, CNFBuilder
from nqbench.clauses.stamp import stamped


class StepByStep:
    """Collects steps, each a copy of a template, until they are written.

    >>> both = CNF(3, 2, (np.array([[-3, 1], [-3, 2]], np.int32),))
    >>> cnf = CNFBuilder(num_main=3)
    >>> steps = StepByStep(cnf)
    >>> steps.take(both, steps.take(both, [1, 2]) + [3])
    [5]
    >>> steps.write()
    >>> list(cnf.build().clauses())
    [[-4, 1], [-4, 2], [-5, 4], [-5, 3]]
    """

    def __init__(self, cnf: CNFBuilder) -> None:
        self._cnf = cnf
        self._count = 0
        self._copies: defaultdict[CNF, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        """The steps with each template, and their literals, one step after the other."""

    def take(self, template: CNF, literals: list[int]) -> list[int]:
        """Take a step with these literals in place of the main variables of a template, and new
        auxiliary variables, which are returned.
        """
        count = template.num_variables - template.num_main
        first = self._cnf.fresh(count)
        auxiliary = list(range(first, first + count))
        of_steps, all_literals = self._copies[template]
        of_steps.append(self._count)
        all_literals += literals
        all_literals += auxiliary
        self._count += 1
        return auxiliary

    def write(self) -> None:
        """Add the clauses of all steps by width, and those of one width in the order of steps."""
        by_width: defaultdict[int, list[tuple[Block, Block]]] = defaultdict(list)
        for template, (of_steps, literals) in self._copies.items():
            copies = np.array(literals, np.int32).reshape(len(of_steps), -1)
            made = stamped(template, copies, copies[:, :0])
            for block, clauses in zip(template.blocks, made, strict=True):
                steps = np.repeat(np.array(of_steps, np.int32), len(block))
                by_width[block.shape[1]].append((steps, clauses))
        for _, parts in sorted(by_width.items()):
            steps, all_clauses = (np.concatenate(some) for some in zip(*parts, strict=True))
            self._cnf.add(all_clauses[np.argsort(steps, kind="stable")])
