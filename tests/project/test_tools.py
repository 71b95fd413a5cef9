"""What the scripts of the repository name exists."""

import ast

from places import ROOT


def test_mistakes_are_put_into_modules_that_exist_and_have_tests():
    """Read, not imported: the library that makes the mistakes may be missing."""
    tree = ast.parse((ROOT / "tools" / "mutation.py").read_text())
    named = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in (
            "STATISTICS",
            "MODULES",
        ):
            exec(ast.unparse(node), named)
    assert len(named["MODULES"]) > 10
    for module, tests in named["MODULES"].items():
        assert (ROOT / "nqbench" / f"{module}.py").exists(), module
        assert [path for path in tests.split() if not (ROOT / path).exists()] == []
