#!/usr/bin/env -S python3 -IS
"""A solver by brute force that fails in the way that its first argument names, of formulas with a
clause of three literals, or an empty one. What it prints and its exit status are right otherwise.
It starts often, so it looks for no installed packages.
"""

import sys
import time
from itertools import product

# ruff: noqa: PTH123 - to import `pathlib` takes longer than everything else here


def model_of(count, clauses):
    for signs in product((1, -1), repeat=count):
        model = [sign * variable for variable, sign in enumerate(signs, 1)]
        if all(set(clause) & set(model) for clause in clauses):
            return model
    return None


def main(fault, *arguments):
    with open(arguments[0 if fault != "tires" else -1]) as file:
        text = file.read()
    if fault == "rows":  # all true, which is the answer to the probe in OPB as well
        count = max(int(word.lstrip("~x")) for word in text.split() if "x" in word[:2])
        print("s SATISFIABLE\nv", *(f"x{variable}" for variable in range(1, count + 1)))
        return 10
    lines = [list(map(int, line.split()[:-1])) for line in text.splitlines() if line[0] not in "cp"]
    count = int(text.partition("p cnf ")[2].split()[0])
    is_odd = any(len(line) == 3 for line in lines)
    model = model_of(count, list(filter(None, lines)) if fault == "empty" else lines)
    if fault == "hang" and is_odd:
        time.sleep(1000)
    if fault == "tires" and is_odd:
        with open(arguments[0], "a") as file:
            file.write(".")
            if file.tell() <= 4:
                sys.exit(3)
    if model is None:
        write_proof(fault, arguments[1], count)
        print("s UNSATISFIABLE")
        return 20
    if is_odd and fault == "open":
        model = model[:-1]
    print("s SATISFIABLE\nv", *model, 0)
    return 20 if is_odd and fault == "status" else 10


def write_proof(fault, path, count):
    if fault == "no-proof" or path == "/dev/null":
        return
    # The first lemma follows only from clauses that unit propagation sees through.
    with open(path, "w") as file:
        file.write("1 0\n" if fault == "no-end" else f"-{count} 0\n{count} 0\n0\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
