"""Random files with rows, proofs about them, and what brute force says of both."""

import itertools
import re
import tempfile
from dataclasses import replace
from functools import cache

from nqbench.backends.base import Backend
from nqbench.checking.constraint_file import read_rows
from nqbench.checking.cutting_planes import Checker, NoProofError
from nqbench.checking.normal_rows import NormalRow, normal_rows
from nqbench.checking.row_proofs import proved_bound
from nqbench.common.errors import SolverError

RULES = ("rup", "u", "pol", "pol", "pol", "p", "red", "red", "red", "soli", "o", "del id", "d", "l")


def random_opb(draw, most_variables=5):
    """An OPB file with few variables, often with an objective."""
    variables = draw.randint(2, most_variables)
    lines = []
    if draw.random() < 0.8:
        lines.append(f"{draw.choice(['min', 'max'])}: {_terms(draw, variables)} ;")
    for _ in range(draw.randint(1, 5)):
        relation = draw.choice([">=", ">=", "=", "<="])
        lines.append(f"{_terms(draw, variables)} {relation} {draw.randint(-3, 6)} ;")
    return "\n".join(lines).encode() + b"\n"


def _terms(draw, variables):
    chosen = draw.sample(range(1, variables + 1), draw.randint(1, variables))
    return " ".join(
        f"{draw.randint(-4, 7):+d} {draw.choice(['', '~'])}x{variable}" for variable in chosen
    )


def read(text):
    """The rows of a text as the judge reads them."""
    return read_rows(text.splitlines(keepends=True))


@cache
def models(variables):
    """All choices of so many variables."""
    return list(itertools.product((False, True), repeat=variables))


def holds(row, values):
    """Whether the values meet a normal row; value v - 1 is that of variable v."""
    weights = row.weights.items()
    return sum(w for x, w in weights if values[abs(x) - 1] == (x > 0)) >= row.degree


def total(objective, values):
    """The sum of an objective in these values."""
    return sum(w for w, x in objective if values[abs(x) - 1] == (x > 0))


def meeting(rows):
    """All choices that meet normal rows."""
    return [
        values
        for values in models(rows.num_variables)
        if all(holds(row, values) for row in rows.rows)
    ]


def is_wrong(rows, bound):
    """Whether a bound that a proof shows of normal rows is wrong."""
    left = meeting(rows)
    return any(bound is None or total(rows.objective, values) < bound for values in left)


def accepted(rows, lines):
    """The bound that a proof shows, in a tuple; None if it is not accepted. Raises `NqbenchError`
    if the core says something else than the checker in Python.
    """
    with tempfile.TemporaryFile() as file:
        file.writelines(lines)
        file.flush()
        try:
            return (proved_bound(rows, file),)
        except NoProofError:
            return None


def proof_by_exact(rows):
    """The lines of Exact's proof about normal rows; None if they have a model that is not worst."""
    with tempfile.TemporaryFile() as file:
        try:
            Backend.named("exact").prove_about_rows(b"".join(rows.opb()), file)
        except SolverError:
            return None
        file.seek(0)
        return file.read().splitlines(keepends=True)


def mutated(draw, lines):
    """The lines of a proof with one to three edits."""
    lines = list(lines)
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(lines))
        kind = draw.randrange(7)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, draw.choice(lines))
        elif kind == 2:
            lines.insert(at, random_line(draw, 6, len(lines)))
        elif kind == 3:
            other = draw.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = _with_other_word(draw, lines[at])
        lines = lines or [b"\n"]
    return lines


def _with_other_word(draw, line):
    words = line.split() or [b""]
    at = draw.randrange(len(words))
    word = words[at]
    if re.fullmatch(rb"[+-]?\d+", word):
        words[at] = b"%d" % (int(word) + draw.choice([-2, -1, 1, 2, 100]))
    elif re.fullmatch(rb"~?x\d+", word):
        kinds = [b"~" + word.lstrip(b"~"), word.lstrip(b"~"), b"x%d" % draw.randint(1, 9)]
        words[at] = draw.choice(kinds)
    elif word in (b"+", b"*", b"d", b"s", b"w"):
        words[at] = draw.choice([b"+", b"*", b"d", b"s", b"w"])
    else:
        del words[at]
    return b" ".join(words) + b"\n"


def random_line(draw, variables, last):
    """A line of a proof that may follow from the rows up to number `last`, or not."""
    rule = draw.choice(RULES)

    def literal():
        return draw.choice(["", "~"]) + draw.choice("xxxxy") + str(draw.randint(1, variables + 2))

    def number():
        return str(draw.choice([draw.randint(1, max(last, 1)), -draw.randint(1, 3)]))

    def row():
        count = draw.randint(0, 3)
        terms = " ".join(f"{draw.randint(-2, 4)} {literal()}" for _ in range(count))
        return f"{terms} >= {draw.randint(-1, 3)} ;"

    if rule in ("rup", "u"):
        text = row()
    elif rule == "red":
        fresh = literal()
        degree = draw.randint(1, 3)
        text = f"{draw.randint(1, 3)} {fresh} {draw.randint(1, 3)} {literal()} >= {degree} ; "
        text += f"{fresh.lstrip('~') if draw.random() < 0.8 else fresh} {draw.randint(0, 1)}"
    elif rule in ("soli", "o"):
        text = " ".join(draw.choice(["", "~"]) + f"x{v}" for v in range(1, variables + 1))
        text = text if draw.random() < 0.8 else literal()
    elif rule in ("l", "d", "del id"):
        text = number()
    else:
        words = [number()]
        for _ in range(draw.randint(0, 5)):
            words += draw.choice(
                [
                    [number(), "+"],
                    [literal(), "+"],
                    [str(draw.randint(-2, 4)), "*"],
                    [str(draw.randint(-2, 4)), "d"],
                    ["s"],
                    [literal(), "w"],
                ]
            )
        text = " ".join(words)
    return f"{rule} {text}\n".encode()


def changed(draw, rows):
    """Normal rows of which one, or the objective, is another one."""
    several, objective = list(rows.rows), list(rows.objective)
    if several and (draw.random() < 0.7 or not objective):
        at = draw.randrange(len(several))
        weights, degree = dict(several[at].weights), several[at].degree
        if weights and draw.random() < 0.5:
            literal = draw.choice(list(weights))
            weight = weights.pop(literal) + draw.choice([-1, 0, 1])
            weights[draw.choice([literal, -literal])] = max(1, weight)
        else:
            degree += draw.choice([-2, -1, 1])
        several[at] = NormalRow(weights, degree)
    elif objective:
        at = draw.randrange(len(objective))
        weight, literal = objective[at]
        objective[at] = weight + draw.choice([-3, -1, 1]), draw.choice([literal, -literal])
    return replace(rows, rows=several, objective=objective)


def try_mutants(draw, count):
    """How many mutants of proofs and files were tried, at least `count`, how many were accepted,
    and those that show something wrong. Raises `AssertionError` if a proof itself is not accepted,
    or not with the best value.
    """
    tried, num_accepted, wrong = 0, 0, []
    while tried < count:
        file = read(random_opb(draw))
        if file.costs is not None and draw.random() < 0.5:
            file = replace(file, worst=draw.randint(-6, 12))
        rows = normal_rows(file)
        lines = proof_by_exact(rows)
        if lines is None:
            continue
        best = min((total(rows.objective, values) for values in meeting(rows)), default=None)
        assert accepted(rows, lines) in {(best,), (None,)}, (rows, lines)
        assert not is_wrong(rows, *accepted(rows, lines))
        for _ in range(40):
            of = changed(draw, rows) if draw.random() < 0.4 else rows
            mutant = lines if of is not rows and draw.random() < 0.5 else mutated(draw, lines)
            shown = accepted(of, mutant)
            tried += 1
            num_accepted += shown is not None
            if shown is not None and is_wrong(of, *shown):
                wrong.append((of, mutant))
    return tried, num_accepted, wrong


def broken_invariant(draw, text, steps=40):
    """A line after which the invariant of the checker does not hold, as brute force sees it; None
    if it holds after all lines that are accepted, of so many random ones. Raises `NqbenchError` if
    the core does not agree.
    """
    rows = normal_rows(read(text))
    checker = Checker(rows)
    checker.is_refuted_by(b"f")
    left = meeting(rows)
    lines = [b"f\n"]
    for _ in range(steps):
        line = random_line(draw, rows.num_variables, checker.last + 1)
        try:
            checker.is_refuted_by(line)
        except (ValueError, IndexError):
            accepted(rows, [*lines, line])
            continue
        lines.append(line)
        if len(checker.others) > 4:
            return None
        if checker.bound is not None:
            left = [values for values in left if total(rows.objective, values) < checker.bound]
        if not left:
            return None
        for values in left:
            extensions = (values + more for more in models(len(checker.others)))
            if not any(
                all(holds(row, each) for row in checker.rows.values()) for each in extensions
            ):
                return line
    return None
