"""The size of a totalizer's tree, as O. Bailleux and Y. Boufkhad state it (CP 2003)."""


def totalizer(k):
    """The auxiliary variables and clauses of a tree over k leaves."""
    if k == 1:
        return 0, 0
    a, b = k // 2, k - k // 2
    (v1, c1), (v2, c2) = totalizer(a), totalizer(b)
    return v1 + v2 + k, c1 + c2 + (a + 1) * (b + 1) - 1
