"""Machine code that tests compile."""

import shutil
import subprocess

import pytest

PART = """
typedef struct { TYPE *data; int size, space; } VecN;
typedef struct { VecN heap; int index[4096]; double score[4096]; } OrderN;
typedef struct { VecN clauses[4096], trail; OrderN order; int level[4096], values[4096]; } SolverN;

int push_N(VecN *vec, TYPE element) {
    if (vec->size == vec->space) {
        TYPE *data = grow(vec->data, sizeof(TYPE) * (2 * vec->space + 1));
        if (!data) return 0;
        vec->data = data;
        vec->space = 2 * vec->space + 1;
    }
    vec->data[vec->size++] = element;
    return 1;
}

void sift_N(OrderN *order, int at) {
    TYPE moved = order->heap.data[at];
    while (at > 0) {
        int parent = (at - 1) / 2;
        TYPE above = order->heap.data[parent];
        if (order->score[(int)above] >= order->score[(int)moved]) break;
        order->heap.data[at] = above;
        order->index[(int)above] = at;
        at = parent;
    }
    order->heap.data[at] = moved;
    order->index[(int)moved] = at;
}

void bump_N(SolverN *solver, int variable, double by) {
    solver->order.score[variable] += by * NUMBER;
    if (solver->order.score[variable] > 1e100)
        for (int i = 0; i < 4096; i++) solver->order.score[i] *= 1e-100;
    if (solver->order.index[variable] >= 0) sift_N(&solver->order, solver->order.index[variable]);
}

int propagate_N(SolverN *solver, int head) {
    for (; head < solver->trail.size; head++) {
        int literal = (int)solver->trail.data[head], kept = 0;
        VecN *watched = &solver->clauses[literal & 4095];
        for (int i = 0; i < watched->size; i++) {
            int other = ((int)watched->data[i] ^ literal) & 4095;
            if (solver->values[other] > 0) watched->data[kept++] = watched->data[i];
            else if (solver->values[other] < 0) return head + NUMBER;
            else {
                solver->values[other] = literal & 1 ? 1 : -1;
                solver->level[other] = solver->level[literal & 4095] + 1;
                if (!push_N(&solver->trail, (TYPE)other)) return -1;
                bump_N(solver, other, 1.0 / (1 + solver->level[other]));
            }
        }
        watched->size = kept;
    }
    return 0;
}

void sort_N(TYPE *data, int size) {
    for (int gap = size / 2; gap > 0; gap /= 2)
        for (int i = gap; i < size; i++) {
            TYPE moved = data[i];
            int j = i;
            for (; j >= gap && data[j - gap] > moved; j -= gap) data[j] = data[j - gap];
            data[j] = moved;
        }
}

long parse_N(const char *text, SolverN *solver) {
    long clauses = 0, number = 0, sign = 1;
    for (; *text; text++) {
        if (*text == 'c') while (text[1] && *text != '\\n') text++;
        else if (*text == '-') sign = -1;
        else if (*text >= '0' && *text <= '9') number = 10 * number + *text - '0';
        else if (number) {
            push_N(&solver->clauses[number & 4095], (TYPE)(sign * number + NUMBER));
            clauses += sign > 0;
            number = 0, sign = 1;
        }
    }
    return clauses;
}
"""


TYPES = ("int", "long", "short", "unsigned", "double", "float", "char", "size_t")


def source(numbers):
    """A part of a solver for each number, over one of the types."""
    parts = [
        PART.replace("TYPE", TYPES[number % 8])
        .replace("NUMBER", str(number + 3))
        .replace("N", str(number))
        for number in numbers
    ]
    return "typedef unsigned long size_t; void *grow(void *, size_t);\n" + "".join(parts)


SOURCE = source(range(10))


def compiled(folder, compiler="gcc", flags="-O0", name="made.so", source=SOURCE):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    (folder / "source.c").write_text(source)
    command = [compiler, *flags.split(), "-w", "-shared", "-fPIC", "-nostdlib", "source.c"]
    subprocess.run([*command, "-o", name], cwd=folder, check=True)
    return folder / name
