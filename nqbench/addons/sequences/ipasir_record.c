/* Records what an application asks a library by IPASIR: it exports the functions of IPASIR, writes
 * a sequence for each solver, and passes each call on to another library.
 *
 *   cc -O2 -shared -fPIC -o libnqrecord.so ipasir_record.c -ldl
 *   NQBENCH_IPASIR=/opt/libsolver.so NQBENCH_RECORD=recorded/app ./application
 *
 * writes recorded/app-1.icnf and so on, where the application is linked with libnqrecord.so. A query
 * is in the file before the library gets it, so that one that hangs or crashes is there as well.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct solver {
    void *other; /* that of the library */
    FILE *file;
    int in_clause, *assumed, count, room;
};

static void *library;
static int solvers;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "libnqrecord: %s: %s\n", what, why ? why : "not set");
    abort();
}

/* A function of the library. */
static void *function(const char *name)
{
    const char *path = getenv("NQBENCH_IPASIR");
    if (!library && !(path && (library = dlopen(path, RTLD_NOW | RTLD_LOCAL))))
        fail("NQBENCH_IPASIR", path ? dlerror() : NULL);
    void *found = dlsym(library, name);
    if (!found)
        fail(name, dlerror());
    return found;
}

/* The function of the library as `next`. */
#define NEXT(name, result, types)                                                                  \
    static result(*next) types;                                                                    \
    if (!next)                                                                                     \
    next = (result(*) types)function("ipasir_" name)

const char *ipasir_signature(void)
{
    NEXT("signature", const char *, (void));
    return next();
}

void *ipasir_init(void)
{
    NEXT("init", void *, (void));
    const char *begin = getenv("NQBENCH_RECORD");
    char path[4096];
    struct solver *s = calloc(1, sizeof *s);
    snprintf(path, sizeof path, "%s-%d.icnf", begin ? begin : "recorded", ++solvers);
    if (!s || !(s->file = fopen(path, "w")))
        fail("NQBENCH_RECORD", path);
    fprintf(s->file, "p icnf\nc solver %s\n", ipasir_signature());
    s->other = next();
    return s;
}

void ipasir_release(void *solver)
{
    struct solver *s = solver;
    fclose(s->file);
    NEXT("release", void, (void *));
    next(s->other);
    free(s->assumed);
    free(s);
}

void ipasir_add(void *solver, int literal)
{
    struct solver *s = solver;
    fprintf(s->file, s->in_clause ? " %d" : "i %d", literal);
    if (!(s->in_clause = literal != 0))
        putc('\n', s->file);
    NEXT("add", void, (void *, int));
    next(s->other, literal);
}

void ipasir_assume(void *solver, int literal)
{
    struct solver *s = solver;
    if (s->count == s->room) {
        s->room = 2 * s->room + 64;
        if (!(s->assumed = realloc(s->assumed, s->room * sizeof *s->assumed)))
            fail("assume", "no memory");
    }
    s->assumed[s->count++] = literal;
    NEXT("assume", void, (void *, int));
    next(s->other, literal);
}

int ipasir_solve(void *solver)
{
    NEXT("solve", int, (void *));
    struct solver *s = solver;
    putc('q', s->file);
    for (int i = 0; i < s->count; i++)
        fprintf(s->file, " %d", s->assumed[i]);
    s->count = 0;
    fputs(" 0\n", s->file);
    fflush(s->file);
    int answer = next(s->other);
    fprintf(s->file, "s %s\n",
            answer == 10   ? "SATISFIABLE"
            : answer == 20 ? "UNSATISFIABLE"
                           : "UNKNOWN");
    fflush(s->file);
    return answer;
}

int ipasir_val(void *solver, int literal)
{
    struct solver *s = solver;
    NEXT("val", int, (void *, int));
    return next(s->other, literal);
}

int ipasir_failed(void *solver, int literal)
{
    struct solver *s = solver;
    NEXT("failed", int, (void *, int));
    return next(s->other, literal);
}

void ipasir_set_terminate(void *solver, void *state, int (*terminate)(void *))
{
    struct solver *s = solver;
    NEXT("set_terminate", void, (void *, void *, int (*)(void *)));
    next(s->other, state, terminate);
}

void ipasir_set_learn(void *solver, void *state, int most, void (*learn)(void *, int *))
{
    struct solver *s = solver;
    NEXT("set_learn", void, (void *, void *, int, void (*)(void *, int *)));
    next(s->other, state, most, learn);
}
