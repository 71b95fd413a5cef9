/* Checks a proof about rows in VeriPB's format, as `cutting_planes.py` does, which says why each rule
 * is sound. Both are for themselves, and short proofs are checked by both.
 *
 *     planes.c     reads a proof and checks its lines
 *     rows.c       rows: sums, quotients, and propagation
 *     names.c      numbers for names
 */
#ifndef NQBENCH_PLANES_H
#define NQBENCH_PLANES_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef __int128 Whole; /* below 2^120, or the proof is too large for this checker */

typedef struct {
    uint32_t literal; /* twice the variable, plus 1 if negative */
    Whole weight;     /* positive */
} Term;

typedef struct {
    Whole degree; /* which the weights of true literals reach together */
    size_t size;
    Term terms[]; /* by variable, each once */
} Row;

typedef struct {
    char **names; /* NULL where there is none; their number is a power of two */
    uint64_t *numbers;
    size_t room, count;
} Names;

typedef struct {
    uint64_t *rows;
    size_t count, room;
} Uses;

typedef struct {
    char **words;
    size_t count, room;
    Term *terms; /* of a row in it */
    size_t terms_room;
    char *text;
    size_t text_room;
} Line;

typedef struct {
    Line in;            /* that is being read */
    uint32_t variables; /* of the file */
    uint32_t largest;   /* with those of the proof alone */
    Row **file;
    size_t file_rows;
    Row *objective;     /* the degree is what has to be added to its sum; NULL without one */
    Row **by_id;        /* NULL if it was deleted */
    size_t last, room;
    Names names, labels;
    Row **stack;        /* of `pol`; NULL where a number is, which is in `numbers` */
    int64_t *numbers;
    size_t height, stack_room;
    Uses *uses;         /* by literal: the rows up to `indexed` that have it */
    size_t indexed, literals_room;
    Uses units;         /* rows that propagate something by themselves */
    uint64_t *since;    /* by literal: it is true if this is `now` */
    uint64_t now;
    uint32_t *trail;
    size_t trail_size;
    int has_bound, is_refuted;
    Whole bound;
    uint64_t line;
    const char *failure;
    int is_too_large;
    jmp_buf failed;
} Planes;

extern const char PLANES_NO_MEMORY[];

_Noreturn void planes_fail(Planes *self, const char *why);
_Noreturn void planes_too_large(Planes *self);

/* Room for this many elements of a size, or more; ends with a failure without memory. */
void *planes_room(Planes *self, void *old, size_t *room, size_t needed, size_t size);

/* names.c: the number of a name, or 0. */
uint64_t names_find(const Names *names, const char *name);
void names_set(Planes *self, Names *names, const char *name, uint64_t number);
void names_free(Names *names);

/* rows.c: each returns a new row. Terms of `row_of` are any, in any order, and are changed. */
Row *row_of(Planes *self, Term *terms, size_t size, Whole degree);
Row *row_add(Planes *self, const Row *row, const Row *other);
Row *row_multiply(Planes *self, const Row *row, int64_t factor);
Row *row_divide(Planes *self, const Row *row, int64_t divisor);
Row *row_saturate(Planes *self, const Row *row);
Row *row_weaken(Planes *self, const Row *row, uint32_t variable);
Row *row_negate(Planes *self, const Row *row);
Row *row_copy(Planes *self, const Row *row);
int row_is_contradiction(const Row *row);

/* Makes room for all literals, and notes where those of new rows are. */
void rows_prepare(Planes *self);

/* Whether propagation shows that no values meet the row and all that have a number. */
int rows_refute(Planes *self, const Row *row);

/* planes.c. A row of the file, or its objective, has terms of any kind. Each returns 0 on failure. */
Planes *planes_new(uint32_t variables, size_t file_rows);
void planes_free(Planes *self);
int planes_row(Planes *self, Term *terms, size_t size, Whole degree);
int planes_objective(Planes *self, Term *terms, size_t size);
int planes_check(Planes *self, FILE *proof);

#endif
