/* The steps of a proof, as text or binary, read byte by byte. */
#include "drat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 15, LITERALS_SHOWN = 400 };

static const char NO_PROOF[] = "this is no proof";
static const char TOO_LARGE[] = "a number is too large";

void fail(Drat *self, const char *why)
{
    snprintf(self->failure, sizeof self->failure, "step %llu, byte %llu: %s",
             (unsigned long long)self->steps + 1, (unsigned long long)self->bytes, why);
    longjmp(self->failed, 1);
}

void fail_without_memory(Drat *self)
{
    self->no_memory = 1;
    longjmp(self->failed, 1);
}

/* Says which clause does not follow, as DIMACS would. */
static _Noreturn void does_not_follow(Drat *self)
{
    char text[LITERALS_SHOWN + 40];
    size_t used = (size_t)snprintf(text, sizeof text, "the clause '");
    for (size_t i = 0; i < self->step_used && used < LITERALS_SHOWN; i++) {
        int32_t literal = self->step[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%d", i ? " " : "",
                                 literal & 1 ? "-" : "", (int)(literal >> 1));
        if (used >= LITERALS_SHOWN && i + 1 < self->step_used)
            used += (size_t)snprintf(text + used, sizeof text - used, " ...");
    }
    snprintf(text + used, sizeof text - used, "' does not follow");
    fail(self, text);
}

/* Takes a literal of the step, once. */
static void take_literal(Drat *self, int64_t variable, int negative)
{
    /* Solvers number the variables that they add one after the other. */
    if (variable < 1)
        fail(self, "there is no variable 0");
    if (variable > MAX_VARIABLE || variable > self->variables + SPARE_VARIABLES)
        fail(self, "a variable is neither old nor the next new one");
    have_variable(self, variable);
    int32_t literal = (int32_t)(2 * variable + negative);
    if (self->marks[literal])
        return;
    self->step = grown(self, self->step, &self->step_room, self->step_used + 1, sizeof(int32_t));
    self->step[self->step_used++] = literal;
    self->is_tautology |= self->marks[literal ^ 1];
    self->marks[literal] = 1;
}

/* Returns whether the step is always true, after which it has been taken. */
static int end_literals(Drat *self)
{
    int is_tautology = self->is_tautology;
    for (size_t i = 0; i < self->step_used; i++)
        self->marks[self->step[i]] = 0;
    self->is_tautology = 0;
    return is_tautology;
}

static uint32_t new_id(Drat *self)
{
    if (self->last_id == MAX_ID)
        fail(self, "there are more clauses than can be numbered");
    return ++self->last_id;
}

static void add_clause(Drat *self)
{
    if (!follows(self, self->step, self->step_used))
        does_not_follow(self);
    uint32_t id = new_id(self);
    write_clause(self, id, self->step, self->step_used);
    insert(self, self->step, self->step_used, id);
}

static void add_empty_clause(Drat *self)
{
    free(self->hints.items);
    self->hints = self->refutation;
    self->refutation = (Ids){NULL, 0, 0};
    write_clause(self, new_id(self), NULL, 0);
    self->proved = 1;
}

static void end_step(Drat *self)
{
    int is_tautology = end_literals(self);
    if (self->refuted && !self->deletes && self->step_used == 0) {
        add_empty_clause(self);
    } else if (is_tautology || self->refuted) {
        /* It follows, and nothing needs it. */
    } else if (self->deletes) {
        delete_clause(self, self->step, self->step_used);
    } else {
        add_clause(self);
    }
    self->steps++;
    self->step_used = 0;
    self->begun = self->deletes = 0;
}

static void end_number(Drat *self)
{
    self->in_number = 0;
    self->begun = 1;
    if (self->number)
        take_literal(self, (int64_t)self->number, self->negative);
    else
        end_step(self);
}

static void take_text(Drat *self, unsigned char byte)
{
    if (self->in_comment) {
        self->in_comment = byte != '\n';
        return;
    }
    if (byte >= '0' && byte <= '9') {
        if (!self->in_number)
            self->number = 0;
        self->in_number = 1;
        self->number = 10 * self->number + (uint64_t)(byte - '0');
        if (self->number > MAX_VARIABLE)
            fail(self, TOO_LARGE);
        return;
    }
    if (self->in_number)
        end_number(self);
    else if (self->negative)
        fail(self, NO_PROOF);
    self->negative = 0;
    if (strchr(" \t\n\r", byte) != NULL && byte != 0)
        return;
    int begins = !self->begun && !self->deletes;
    if (byte == '-')
        self->negative = 1;
    else if (byte == 'd' && begins)
        self->deletes = 1;
    else if (byte == 'c' && begins)
        self->in_comment = 1;
    else
        fail(self, NO_PROOF);
}

static void take_binary(Drat *self, unsigned char byte)
{
    if (!self->begun) {
        if (byte != 'a' && byte != 'd')
            fail(self, NO_PROOF);
        self->begun = 1;
        self->deletes = byte == 'd';
        self->number = 0;
        self->shift = 0;
        return;
    }
    self->number |= (uint64_t)(byte & 127) << self->shift;
    self->shift += 7;
    if (byte & 128) {
        if (self->shift > 35)
            fail(self, TOO_LARGE);
        return;
    }
    uint64_t number = self->number;
    self->number = 0;
    self->shift = 0;
    if (number)
        take_literal(self, (int64_t)(number >> 1), number & 1);
    else
        end_step(self);
}

/* Whether a proof that begins so is binary. Only a binary step begins with 'a'. One that deletes
 * begins with 'd', as in a text, which has no control characters. */
static int is_binary(const unsigned char *bytes, size_t size)
{
    if (bytes[0] != 'd')
        return bytes[0] == 'a';
    for (size_t i = 1; i < size; i++)
        if (bytes[i] > '~' || (bytes[i] < ' ' && memchr("\t\n\r", bytes[i], 3) == NULL))
            return 1;
    return 0;
}

int drat_elaborate(Drat *self, FILE *proof)
{
    unsigned char piece[PIECE];
    size_t size;
    if (setjmp(self->failed) != 0)
        return 0;
    while (!self->proved && (size = fread(piece, 1, sizeof piece, proof)) > 0) {
        if (self->bytes == 0)
            self->binary = is_binary(piece, size);
        for (size_t i = 0; i < size && !self->proved; i++) {
            self->bytes++;
            if (self->binary)
                take_binary(self, piece[i]);
            else
                take_text(self, piece[i]);
        }
    }
    if (self->in_number)
        end_number(self);
    if (!self->proved && self->refuted)
        add_empty_clause(self); /* some solvers leave it out if unit propagation finds it */
    if (!self->proved)
        fail(self, "the proof ends without the empty clause");
    return 1;
}

int drat_formula(Drat *self, const int32_t *literals, size_t size)
{
    if (setjmp(self->failed) != 0)
        return 0;
    for (size_t i = 0; i < size; i++) {
        int64_t literal = literals[i];
        take_literal(self, literal < 0 ? -literal : literal, literal < 0);
    }
    uint32_t id = ++self->formula_id;
    if (end_literals(self))
        write_deletion(self, id);
    else
        insert(self, self->step, self->step_used, id);
    self->step_used = 0;
    return 1;
}

static int begin(Drat *self, int32_t variables)
{
    if (setjmp(self->failed) != 0)
        return 0;
    have_variable(self, variables);
    rebuild(self, 1024);
    return 1;
}

Drat *drat_new(int32_t variables, uint32_t clauses, FILE *out)
{
    Drat *self = calloc(1, sizeof(Drat));
    if (self == NULL)
        return NULL;
    self->out = out;
    self->used = FIRST;
    self->last_id = clauses;
    if (begin(self, variables))
        return self;
    drat_free(self);
    return NULL;
}

void drat_free(Drat *self)
{
    for (int64_t literal = 0; self->watches && literal < 2 * self->variable_room; literal++)
        free(self->watches[literal].items);
    free(self->arena);
    free(self->buckets);
    free(self->watches);
    free(self->values);
    free(self->occurrences);
    free(self->marks);
    free(self->reasons);
    free(self->units);
    free(self->seen);
    free(self->trail);
    free(self->hints.items);
    free(self->noted.items);
    free(self->backwards.items);
    free(self->refutation.items);
    free(self->step);
    free(self);
}
