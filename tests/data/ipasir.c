/* A small IPASIR solver for the tests: unit propagation and splitting (M. Davis, G. Logemann,
 * D. Loveland, CACM 5, 1962). It aborts if it is asked for the value of a variable that it does not
 * know, as some solvers do.
 */
#include <stdlib.h>
#include <string.h>

struct solver {
    int *literals, count, room; /* each clause ends with 0 */
    signed char *values;        /* of each variable: 1, -1, or 0 if it is open */
    int variables;
    int assumed[64], assumptions;
};

const char *ipasir_signature(void) { return "tiny-1.0"; }
void *ipasir_init(void) { return calloc(1, sizeof(struct solver)); }
int ipasir_failed(void *solver, int literal) { return 1; } /* its core is all assumptions */
void ipasir_set_terminate(void *solver, void *state, int (*terminate)(void *)) {}

void ipasir_release(void *solver)
{
    struct solver *s = solver;
    free(s->literals);
    free(s->values);
    free(s);
}

void ipasir_add(void *solver, int literal)
{
    struct solver *s = solver;
    if (s->count == s->room)
        s->literals = realloc(s->literals, (s->room = 2 * s->room + 64) * sizeof(int));
    s->literals[s->count++] = literal;
    if (abs(literal) > s->variables)
        s->variables = abs(literal);
}

void ipasir_assume(void *solver, int literal)
{
    struct solver *s = solver;
    for (int sign = 1; sign >= -1; sign -= 2)
        ipasir_add(solver, sign * literal); /* so that it knows the variable */
    ipasir_add(solver, 0);
    s->assumed[s->assumptions++] = literal;
}

static int value(const struct solver *s, int literal)
{
    return literal < 0 ? -s->values[-literal] : s->values[literal];
}

static void assign(struct solver *s, int literal) { s->values[abs(literal)] = literal < 0 ? -1 : 1; }

/* Returns -1 if a clause is false, else an open literal of a clause that is not true, else 0. */
static int propagate(struct solver *s)
{
    int split, again;
    do {
        split = again = 0;
        for (int i = 0; i < s->count; i++) {
            int is_true = 0, open = 0, last = 0;
            for (; s->literals[i]; i++) {
                int now = value(s, s->literals[i]);
                is_true |= now > 0;
                if (now == 0)
                    open++, last = s->literals[i];
            }
            if (is_true)
                continue;
            if (open == 0)
                return -1;
            if (open == 1)
                assign(s, last), again = 1;
            else
                split = abs(last);
        }
    } while (again);
    return split;
}

static int search(struct solver *s)
{
    int split = propagate(s), found = split == 0;
    if (split <= 0)
        return found;
    signed char *before = malloc(s->variables + 1);
    memcpy(before, s->values, s->variables + 1);
    for (int sign = 1; !found && sign >= -1; sign -= 2) {
        memcpy(s->values, before, s->variables + 1);
        assign(s, sign * split);
        found = search(s);
    }
    free(before);
    return found;
}

int ipasir_solve(void *solver)
{
    struct solver *s = solver;
    free(s->values);
    s->values = calloc(s->variables + 1, 1);
    int count = s->assumptions, is_possible = 1;
    s->assumptions = 0;
    for (int i = 0; i < count; i++) {
        is_possible &= value(s, s->assumed[i]) >= 0;
        assign(s, s->assumed[i]);
    }
    return is_possible && search(s) ? 10 : 20;
}

int ipasir_val(void *solver, int literal)
{
    struct solver *s = solver;
    for (int i = 0; i < s->count; i++)
        if (abs(s->literals[i]) == abs(literal))
            return value(s, literal) * literal;
    abort();
}
