/* Records what an application asks a library by IPASIR: it exports the functions of IPASIR, writes
 * a sequence for each solver, and passes each call on to another library.
 *
 *   cc -O2 -shared -fPIC -o libnqrecord.so ipasir_record.c -ldl
 *   NQBENCH_IPASIR=/opt/libsolver.so NQBENCH_RECORD=recorded/app ./application
 *
 * writes recorded/app-1.icnf and so on, the first numbers that are free, where the application is
 * linked with libnqrecord.so. A query is in the file before the library gets it, so that one that
 * hangs or crashes is there as well. A solver that is released without a query leaves no file. What
 * a process asks a solver of the process that it was forked from is not recorded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct solver {
    void *other; /* that of the library */
    char *path, *text; /* of its file, and what is not written yet: no file stays open */
    size_t used, whole, room; /* bytes of the text, those up to its last line, those it may have */
    pid_t process;
    int *assumed, count, most, is_asked;
};

enum { PENDING = 1 << 16 };

static void *library;
static int solvers;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "libnqrecord: %s: %s\n", what, why ? why : "not set");
    abort();
}

/* A function of the library. */
static void *function(const char *name, void *own)
{
    const char *path = getenv("NQBENCH_IPASIR");
    if (!library && !(path && (library = dlopen(path, RTLD_NOW | RTLD_LOCAL))))
        fail("NQBENCH_IPASIR", path ? dlerror() : NULL);
    void *found = dlsym(library, name);
    if (!found)
        fail(name, dlerror());
    if (found == own)
        fail("NQBENCH_IPASIR", "name the library that solves, not the recorder");
    return found;
}

/* The function of the library as `next`. */
#define NEXT(name, result, types)                                                                  \
    static result(*next) types;                                                                    \
    if (!next)                                                                                     \
    next = (result(*) types)function("ipasir_" #name, (void *)ipasir_##name)

static void *grown(void *memory, size_t bytes)
{
    if (!(memory = realloc(memory, bytes)))
        fail("realloc", "no memory");
    return memory;
}

/* Write the whole lines of the text. */
static void flush(struct solver *s)
{
    if (s->process == getpid()) {
        FILE *file = fopen(s->path, "a");
        if (!file || fwrite(s->text, 1, s->whole, file) < s->whole || fclose(file))
            fail(s->path, strerror(errno));
    }
    memmove(s->text, s->text + s->whole, s->used -= s->whole);
    s->whole = 0;
}

/* Add words to the text. */
static void say(struct solver *s, const char *words)
{
    size_t length = strlen(words);
    if (s->used + length > s->room)
        s->text = grown(s->text, s->room = 2 * (s->used + length) + 64);
    memcpy(s->text + s->used, words, length);
    s->used += length;
    if (length && words[length - 1] == '\n' && (s->whole = s->used) > PENDING)
        flush(s);
}

static void say_literal(struct solver *s, int literal)
{
    char words[16];
    snprintf(words, sizeof words, literal ? " %d" : " %d\n", literal);
    say(s, words);
}

/* Make the file of a solver. */
static void begin(struct solver *s)
{
    const char *first = getenv("NQBENCH_RECORD");
    size_t length = strlen(first ? first : "recorded") + 32;
    int file;
    s->path = grown(NULL, length);
    do
        snprintf(s->path, length, "%s-%d.icnf", first ? first : "recorded", ++solvers);
    while ((file = open(s->path, O_WRONLY | O_CREAT | O_EXCL, 0666)) < 0 && errno == EEXIST);
    if (file < 0)
        fail(s->path, strerror(errno));
    close(file);
    s->process = getpid();
}

const char *ipasir_signature(void)
{
    NEXT(signature, const char *, (void));
    return next();
}

void *ipasir_init(void)
{
    NEXT(init, void *, (void));
    struct solver *s = grown(NULL, sizeof *s);
    memset(s, 0, sizeof *s);
    begin(s);
    say(s, "p icnf\nc solver ");
    say(s, ipasir_signature());
    say(s, "\n");
    flush(s);
    s->other = next();
    return s;
}

void ipasir_release(void *solver)
{
    struct solver *s = solver;
    flush(s);
    if (!s->is_asked && s->process == getpid())
        remove(s->path);
    NEXT(release, void, (void *));
    next(s->other);
    free(s->assumed);
    free(s->text);
    free(s->path);
    free(s);
}

void ipasir_add(void *solver, int literal)
{
    struct solver *s = solver;
    if (s->used == s->whole)
        say(s, "i");
    say_literal(s, literal);
    NEXT(add, void, (void *, int));
    next(s->other, literal);
}

void ipasir_assume(void *solver, int literal)
{
    struct solver *s = solver;
    if (s->count == s->most) {
        s->most = 2 * s->most + 64;
        s->assumed = grown(s->assumed, s->most * sizeof *s->assumed);
    }
    s->assumed[s->count++] = literal;
    NEXT(assume, void, (void *, int));
    next(s->other, literal);
}

int ipasir_solve(void *solver)
{
    NEXT(solve, int, (void *));
    struct solver *s = solver;
    say(s, "q");
    for (int i = 0; i < s->count; i++)
        say_literal(s, s->assumed[i]);
    s->count = 0;
    s->is_asked = 1;
    say_literal(s, 0);
    flush(s);
    int answer = next(s->other);
    say(s, answer == 10   ? "s SATISFIABLE\n"
           : answer == 20 ? "s UNSATISFIABLE\n"
                          : "s UNKNOWN\n");
    flush(s);
    return answer;
}

int ipasir_val(void *solver, int literal)
{
    struct solver *s = solver;
    NEXT(val, int, (void *, int));
    return next(s->other, literal);
}

int ipasir_failed(void *solver, int literal)
{
    struct solver *s = solver;
    NEXT(failed, int, (void *, int));
    return next(s->other, literal);
}

void ipasir_set_terminate(void *solver, void *state, int (*terminate)(void *))
{
    struct solver *s = solver;
    NEXT(set_terminate, void, (void *, void *, int (*)(void *)));
    next(s->other, state, terminate);
}

void ipasir_set_learn(void *solver, void *state, int most, void (*learn)(void *, int *))
{
    struct solver *s = solver;
    NEXT(set_learn, void, (void *, void *, int, void (*)(void *, int *)));
    next(s->other, state, most, learn);
}
