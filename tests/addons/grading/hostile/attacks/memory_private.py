"""Three processes, each below the limit."""

from attack import GOAL, fill, held, in_children

kept = []
held(in_children(4, lambda: kept.append(fill(GOAL // 4))) * GOAL // 4)
