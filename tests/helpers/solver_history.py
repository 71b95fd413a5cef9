"""A repository with the history of a small solver, in which changes are planted.

The solver is a search with unit propagation in C. Each commit has the constants of its header: how
long it idles at a conflict, after how many conflicts it starts again, whether it is wrong about
formulas of 36 variables (6 queens), and whether it crashes on those of 49 (7 queens).
"""

import subprocess
from dataclasses import dataclass, replace

SOLVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "constants.h"

static int variables, clauses, *begin, *literals, *value, *trail, on_trail, conflicts;

static int is(int literal) { return literal < 0 ? -value[-literal] : value[literal]; }
static void set(int literal) {
    value[abs(literal)] = literal < 0 ? -1 : 1;
    trail[on_trail++] = abs(literal);
}
static int propagate(void) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (int c = 0; c < clauses; c++) {
            int open = 0, last = 0, done = 0;
            for (int i = begin[c]; i < begin[c + 1] && !done; i++) {
                int v = is(literals[i]);
                if (v > 0) done = 1;
                if (!v) open++, last = literals[i];
            }
            if (done || open > 1) continue;
            if (!open) return 0;
            set(last);
            changed = 1;
        }
    }
    return 1;
}
static int search(int most) {
    int mark = on_trail, ok = propagate(), pick = 0;
    if (!ok) {
        conflicts++;
        for (volatile long i = 0; i < IDLE; i++) {}
    }
    for (int v = 1; v <= variables && ok && !pick; v++) if (!value[v]) pick = v;
    if (ok && !pick) return 1;
    for (int sign = 1; ok && sign >= -1; sign -= 2) {
        int before = on_trail;
        if (most && conflicts >= most) break;
        set(sign * pick);
        if (search(most)) return 1;
        while (on_trail > before) value[trail[--on_trail]] = 0;
    }
    while (on_trail > mark) value[trail[--on_trail]] = 0;
    return 0;
}
int main(int count, char **words) {
    FILE *file = fopen(words[count - 1], "r");
    int ch, number, used = 0;
    while ((ch = fgetc(file)) == 'c') while ((ch = fgetc(file)) != '\n') {}
    if (fscanf(file, " cnf %d %d", &variables, &clauses) != 2) return 1;
    begin = calloc(clauses + 1, sizeof *begin);
    literals = malloc(sizeof *literals * 1000000);
    value = calloc(variables + 1, sizeof *value);
    trail = calloc(variables + 1, sizeof *trail);
    for (int c = 0; c < clauses && fscanf(file, "%d", &number) == 1;)
        if (number) literals[used++] = number; else begin[++c] = used;
    if (CRASHES && variables == 49) abort();
    int found = AGAIN ? search(AGAIN) : 0;
    if (!found) found = search(0);
    if (WRONG && variables == 36) found = !found;
    printf("c conflicts             : %d\n", conflicts);
    printf("s %sSATISFIABLE\n", found ? "" : "UN");
    if (found) {
        printf("v");
        for (int v = 1; v <= variables; v++) printf(" %d", value[v] * v);
        printf(" 0\n");
    }
    return found ? 10 : 20;
}
"""

RECIPE = """
[solver]
build = "cc -O1 -o solver solver.c"
program = "./solver"
prints = "glucose"
compiler = "cc"
"""


@dataclass(frozen=True)
class Constants:
    """What a commit of the solver does."""

    idle: int = 1_000_000
    again: int = 0
    wrong: int = 0
    crashes: int = 0

    @property
    def header(self):
        """The header of the solver."""
        return (
            f"#define IDLE {self.idle}\n#define AGAIN {self.again}\n"
            f"#define WRONG {self.wrong}\n#define CRASHES {self.crashes}\n"
        )


PLANTED = {"time": 9, "conflicts": 17, "answer": 26, "crash": 33}
"""The number of the commit that plants each change."""

START = 1704067200
"""The first minute of 2024, in seconds since 1970."""

BROKEN = frozenset({20, 21})
"""Commits that cannot be compiled."""


class History:
    """A repository with this many commits, from 1; `digits` has those of each."""

    def __init__(self, folder, commits=40, slower=2.0, planted=PLANTED):
        self.path = folder
        folder.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        constants, stream = Constants(), []
        for number in range(1, commits + 1):
            if number == planted.get("time"):
                constants = replace(constants, idle=int(constants.idle * slower))
            if number == planted.get("conflicts"):
                constants = replace(constants, again=5)
            if number == planted.get("answer"):
                constants = replace(constants, wrong=1)
            if number == planted.get("crash"):
                constants = replace(constants, crashes=1)
            stream += _commit(number, constants.header + ("#error\n" if number in BROKEN else ""))
        self._git("fast-import", "--quiet", typed="".join(stream))
        self._git("checkout", "--quiet", "main")
        oldest_first = self._git("rev-list", "--reverse", "main").split()
        self.digits = dict(enumerate(oldest_first, 1))

    def _git(self, *arguments, typed=""):
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(
            command, input=typed, check=True, capture_output=True, text=True
        ).stdout


def _commit(number, header):
    """A commit in the format of `git fast-import`."""
    files = {"solver.c": SOLVER, "constants.h": f"/* {number} */\n{header}"}
    yield f"commit refs/heads/main\ncommitter A <a@b> {START + 60 * number} +0000\n"
    yield _data(f"Commit {number}\n")
    for name, text in files.items():
        yield f"M 100644 inline {name}\n{_data(text)}"


def _data(text):
    return f"data {len(text.encode())}\n{text}\n"
