"""The texts of formulas in tests/data/formulas.toml."""

import tomllib

from places import ROOT

PATH = ROOT / "tests" / "data" / "formulas.toml"
CASES = tomllib.loads(PATH.read_text())["case"]


def content(case):
    """The bytes of a case, whose text has escapes."""
    return case["text"].encode("latin-1").decode("unicode_escape").encode("latin-1")


def is_read(case):
    return "clauses" in case and not case.get("lenient")


def others(case, reader):
    """Whether another parser reads the case as nqbench does."""
    return reader not in (*case.get("refused_by", ()), *case.get("misread_by", ()))


READ = [case for case in CASES if is_read(case)]
LENIENT = [case for case in CASES if case.get("lenient")]
REFUSED = [case for case in CASES if not is_read(case)]
