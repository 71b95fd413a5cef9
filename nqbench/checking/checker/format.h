/* A checker of proofs of unsatisfiability, which reads a proof once.
 *
 *     module.c     for Python
 *     drat/        proofs without hints: whether a clause follows is searched for
 *     lrat.c       proofs with hints
 *
 * Nothing of a proof is kept but the clauses that it has added and not deleted. A literal is twice
 * its variable, plus 1 if it is negative. Functions that return an int return -1 after an error,
 * with the exception set.
 */
#ifndef NQBENCH_FORMAT_H
#define NQBENCH_FORMAT_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

enum { MAX_VARIABLE = 1 << 28 };

#define NO_PROOF "is followed by what is no proof"
#define TOO_LARGE "is followed by too large a number"

/* What the state of every format begins with. */
typedef struct {
    unsigned long long steps; /* that were checked */
    int proved;               /* the empty clause was added, and nothing more is read */
} Proof;

typedef struct {
    const char *name;
    size_t size; /* of its state, in which all is 0 before `begin` */
    int (*begin)(void *state, int32_t variables);
    /* A clause of the formula, as DIMACS writes it. */
    int (*add)(void *state, const int32_t *literals, size_t size);
    int (*read)(void *state, const unsigned char *bytes, size_t size);
    /* The step that the end of the proof completes. */
    int (*end)(void *state);
    void (*release)(void *state);
} Format;

extern const Format drat, lrat;

/* module.c */
int no_memory(void);
int flawed(const Proof *proof, const char *why);

#endif
