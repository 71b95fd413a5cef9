/* Checks a proof of unsatisfiability in the format DRAT while it is read.
 *
 * Every clause that a proof adds has to follow from the formula and the clauses added before by unit
 * propagation (RUP), or else its resolvents on its first literal have to (RAT): N. Wetzler, M. Heule,
 * W. Hunt, "DRAT-trim", SAT 2014. Nothing of the proof is kept but the clauses that it has added and
 * not deleted. Ignored are deletions of clauses that are not there, and of those that made a literal
 * true for good; clauses that stay cannot make a wrong step right.
 *
 * A literal is twice its variable, plus 1 if it is negative. Clauses have two watched literals, their
 * first two (M. Moskewicz et al., "Chaff", DAC 2001).
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A clause in the arena: its size, negative once it is deleted; its hash; the next clause in the
 * same bucket; its literals. */
enum { SIZE, HASH, NEXT, HEADER };

enum { NONE = 0, FIRST = 1 }; /* no clause; where the first one is */
enum { MAX_VARIABLE = 1 << 28, SPARE_VARIABLES = 1024 };

typedef struct {
    uint32_t clause;
    int32_t blocker; /* some other literal of the clause: if true, the clause need not be read */
} Watch;

typedef struct {
    Watch *items;
    uint32_t used, room;
} Watches;

typedef struct {
    PyObject_HEAD
    int32_t *arena;
    size_t used, room, wasted;
    uint32_t *buckets;
    size_t bucket_mask, clauses;
    int64_t variables, variable_room; /* 1 to `variables` */
    Watches *watches;                 /* by literal, as the next two */
    int8_t *values;                   /* 1 true, -1 false, 0 open */
    uint32_t *occurrences;
    uint32_t *reasons; /* by variable: the clause that made it true or false for good */
    uint8_t *marks;    /* by literal */
    int32_t *trail;
    size_t assigned, propagated;
    int32_t *step; /* literals of the step that is being read, or of the last one */
    size_t step_used, step_room;
    unsigned long long steps;
    long long number;
    int shift, negative, in_number, deletes, begun, in_comment, binary, started, conflict,
        proved; /* without assumptions a clause is false; the proof has added the empty one */
} Checker;

static int no_memory(void)
{
    PyErr_NoMemory();
    return -1;
}

static int grow(void **array, size_t *room, size_t needed, size_t width)
{
    if (needed <= *room)
        return 0;
    size_t more = *room + *room / 2 + 16;
    if (more < needed)
        more = needed;
    void *moved = realloc(*array, more * width);
    if (moved == NULL)
        return no_memory();
    *array = moved;
    *room = more;
    return 0;
}

static int resize(void **array, size_t before, size_t after, size_t width)
{
    void *moved = realloc(*array, after * width);
    if (moved == NULL)
        return no_memory();
    memset((char *)moved + before * width, 0, (after - before) * width);
    *array = moved;
    return 0;
}

static int have_variable(Checker *self, int64_t variable)
{
    if (variable >= self->variable_room) {
        size_t before = (size_t)self->variable_room, after = (size_t)variable + before / 2 + 16;
        if (resize((void **)&self->watches, 2 * before, 2 * after, sizeof(Watches)) < 0
            || resize((void **)&self->values, 2 * before, 2 * after, 1) < 0
            || resize((void **)&self->occurrences, 2 * before, 2 * after, sizeof(uint32_t)) < 0
            || resize((void **)&self->marks, 2 * before, 2 * after, 1) < 0
            || resize((void **)&self->reasons, before, after, sizeof(uint32_t)) < 0
            || resize((void **)&self->trail, before, after, sizeof(int32_t)) < 0)
            return -1;
        self->variable_room = (int64_t)after;
    }
    if (variable > self->variables)
        self->variables = variable;
    return 0;
}

static int watch(Checker *self, int32_t literal, uint32_t clause, int32_t blocker)
{
    Watches *list = &self->watches[literal];
    if (list->used == list->room) {
        uint32_t room = list->room ? 2 * list->room : 4;
        Watch *moved = realloc(list->items, room * sizeof(Watch));
        if (moved == NULL)
            return no_memory();
        list->items = moved;
        list->room = room;
    }
    list->items[list->used++] = (Watch){clause, blocker};
    return 0;
}

static void assign(Checker *self, int32_t literal)
{
    self->values[literal] = 1;
    self->values[literal ^ 1] = -1;
    self->trail[self->assigned++] = literal;
}

static void undo(Checker *self, size_t assigned)
{
    while (self->assigned > assigned) {
        int32_t literal = self->trail[--self->assigned];
        self->values[literal] = self->values[literal ^ 1] = 0;
    }
    self->propagated = assigned;
}

/* Returns 1 if a clause became false, 0 if not, and -1 without memory. With `for_good`, notes the
 * clauses that make literals true. */
static int propagate(Checker *self, int for_good)
{
    while (self->propagated < self->assigned) {
        int32_t false_literal = self->trail[self->propagated++] ^ 1;
        Watches *list = &self->watches[false_literal];
        uint32_t kept = 0, i = 0;
        int conflict = 0;
        while (i < list->used && !conflict) {
            Watch now = list->items[i++];
            if (self->values[now.blocker] > 0) {
                list->items[kept++] = now;
                continue;
            }
            int32_t *clause = self->arena + now.clause, *literals = clause + HEADER;
            int32_t size = clause[SIZE];
            if (size < 0)
                continue;
            int32_t other = literals[0] ^ literals[1] ^ false_literal;
            now.blocker = other;
            if (self->values[other] > 0) {
                list->items[kept++] = now;
                continue;
            }
            int32_t k = 2;
            while (k < size && self->values[literals[k]] < 0)
                k++;
            if (k < size) {
                int32_t chosen = literals[k];
                literals[k] = false_literal;
                literals[0] = other;
                literals[1] = chosen;
                if (watch(self, chosen, now.clause, other) < 0)
                    return -1;
                continue;
            }
            list->items[kept++] = now;
            if (self->values[other] < 0) {
                conflict = 1;
                continue;
            }
            if (for_good)
                self->reasons[other >> 1] = now.clause;
            assign(self, other);
        }
        while (i < list->used)
            list->items[kept++] = list->items[i++];
        list->used = kept;
        if (conflict)
            return 1;
    }
    return 0;
}

static uint32_t hash_of(const int32_t *literals, size_t size)
{
    uint32_t sum = 0, product = 1, mixed = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t literal = (uint32_t)literals[i];
        sum += literal;
        product *= 2 * literal + 1;
        mixed ^= literal * 2654435761u;
    }
    return (1023 * sum + product) ^ (31 * mixed);
}

static void into_bucket(Checker *self, uint32_t clause)
{
    uint32_t *bucket = &self->buckets[(uint32_t)self->arena[clause + HASH] & self->bucket_mask];
    self->arena[clause + NEXT] = (int32_t)*bucket;
    *bucket = clause;
}

/* Moves the clauses together that are not deleted, with `buckets` for so many. */
static int rebuild(Checker *self, size_t buckets)
{
    uint32_t *empty = calloc(buckets, sizeof(uint32_t));
    uint32_t *moved = self->wasted ? malloc(self->used * sizeof(uint32_t)) : NULL;
    if (empty == NULL || (self->wasted && moved == NULL)) {
        free(empty);
        free(moved);
        return no_memory();
    }
    free(self->buckets);
    self->buckets = empty;
    self->bucket_mask = buckets - 1;
    size_t to = FIRST, next;
    for (size_t from = FIRST; from < self->used; from = next) {
        int32_t size = self->arena[from + SIZE];
        next = from + HEADER + (size_t)abs(size);
        if (moved)
            moved[from] = size < 0 ? NONE : (uint32_t)to;
        if (size < 0)
            continue;
        memmove(self->arena + to, self->arena + from, (next - from) * sizeof(int32_t));
        into_bucket(self, (uint32_t)to);
        to += next - from;
    }
    for (int64_t literal = 2; moved && literal < 2 * (self->variables + 1); literal++) {
        Watches *list = &self->watches[literal];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->used; i++) {
            list->items[i].clause = moved[list->items[i].clause];
            if (list->items[i].clause != NONE)
                list->items[kept++] = list->items[i];
        }
        list->used = kept;
        if (literal % 2 == 0 && self->reasons[literal / 2] != NONE)
            self->reasons[literal / 2] = moved[self->reasons[literal / 2]];
    }
    self->used = to;
    self->wasted = 0;
    free(moved);
    return 0;
}

/* Adds a clause without repeated literals. Returns -1 without memory. */
static int insert(Checker *self, int32_t *literals, size_t size)
{
    size_t open = 0;
    for (size_t i = 0; i < size && open < 2; i++) {
        if (self->values[literals[i]] < 0)
            continue;
        int32_t literal = literals[i];
        literals[i] = literals[open];
        literals[open++] = literal;
    }
    if (open == 0) {
        self->conflict = 1;
        return 0;
    }
    /* The clause is now last; a collection keeps it, and its watches follow. */
    if (self->wasted > self->used / 2 + 65536 && rebuild(self, self->bucket_mask + 1) < 0)
        return -1;
    if (self->clauses > self->bucket_mask && rebuild(self, 4 * (self->bucket_mask + 1)) < 0)
        return -1;
    size_t needed = self->used + HEADER + size;
    if (needed > INT32_MAX)
        return no_memory();
    if (grow((void **)&self->arena, &self->room, needed, sizeof(int32_t)) < 0)
        return -1;
    uint32_t clause = (uint32_t)self->used;
    self->arena[clause + SIZE] = (int32_t)size;
    self->arena[clause + HASH] = (int32_t)hash_of(literals, size);
    memcpy(self->arena + clause + HEADER, literals, size * sizeof(int32_t));
    self->used = needed;
    self->clauses++;
    into_bucket(self, clause);
    for (size_t i = 0; i < size; i++)
        self->occurrences[literals[i]]++;
    if (size > 1
        && (watch(self, literals[0], clause, literals[1]) < 0
            || watch(self, literals[1], clause, literals[0]) < 0))
        return -1;
    if (open == 1 && self->values[literals[0]] == 0) {
        self->reasons[literals[0] >> 1] = clause;
        assign(self, literals[0]);
        int conflict = propagate(self, 1);
        if (conflict < 0)
            return -1;
        self->conflict |= conflict;
    }
    return 0;
}

static void delete_clause(Checker *self, const int32_t *literals, size_t size)
{
    uint32_t hash = hash_of(literals, size);
    uint32_t *link = &self->buckets[hash & self->bucket_mask];
    for (size_t i = 0; i < size; i++)
        self->marks[literals[i]] = 1;
    while (*link != NONE) {
        int32_t *clause = self->arena + *link;
        size_t same = 0;
        if ((uint32_t)clause[HASH] == hash && (size_t)clause[SIZE] == size)
            while (same < size && self->marks[clause[HEADER + same]])
                same++;
        int is_found = (size_t)clause[SIZE] == size && same == size && size > 0;
        int is_reason = 0;
        for (size_t i = 0; is_found && i < size; i++)
            is_reason |= self->reasons[clause[HEADER + i] >> 1] == *link;
        if (is_found && !is_reason) {
            for (size_t i = 0; i < size; i++)
                self->occurrences[clause[HEADER + i]]--;
            self->wasted += HEADER + size;
            self->clauses--;
            clause[SIZE] = -(int32_t)size;
            *link = (uint32_t)clause[NEXT];
            break;
        }
        link = (uint32_t *)&clause[NEXT];
    }
    for (size_t i = 0; i < size; i++)
        self->marks[literals[i]] = 0;
}

/* Makes the literals false, except for `but`. Returns 1 if that leads to a conflict. */
static int refuted(Checker *self, const int32_t *literals, size_t size, int32_t but)
{
    for (size_t i = 0; i < size; i++) {
        if (literals[i] == but)
            continue;
        if (self->values[literals[i]] > 0)
            return 1;
        if (self->values[literals[i]] == 0)
            assign(self, literals[i] ^ 1);
    }
    return propagate(self, 0);
}

/* Returns 1 if the clause follows, 0 if not, and -1 without memory. */
static int follows(Checker *self, const int32_t *literals, size_t size)
{
    size_t before = self->assigned;
    int found = refuted(self, literals, size, -1);
    if (found == 0 && size > 0) {
        int32_t against = literals[0] ^ 1;
        size_t assumed = self->assigned, next;
        uint32_t left = self->occurrences[against];
        found = 1;
        for (size_t c = FIRST; left > 0 && found > 0; c = next) {
            int32_t *clause = self->arena + c;
            next = c + HEADER + (size_t)abs(clause[SIZE]);
            int has = 0;
            for (int32_t i = 0; i < clause[SIZE] && !has; i++)
                has = clause[HEADER + i] == against;
            if (!has)
                continue;
            left--;
            found = refuted(self, clause + HEADER, (size_t)clause[SIZE], against);
            undo(self, assumed);
        }
    }
    undo(self, before);
    return found;
}

/* Removes repeated literals. Returns 1 if the clause is always true. */
static int simplify(Checker *self, int32_t *literals, size_t *size)
{
    size_t kept = 0;
    int is_true = 0;
    for (size_t i = 0; i < *size; i++) {
        int32_t literal = literals[i];
        is_true |= self->marks[literal ^ 1];
        if (self->marks[literal])
            continue;
        self->marks[literal] = 1;
        literals[kept++] = literal;
    }
    for (size_t i = 0; i < kept; i++)
        self->marks[literals[i]] = 0;
    *size = kept;
    return is_true;
}

#define NO_PROOF " is followed by what is no proof"

static int flawed(Checker *self, const char *why)
{
    PyErr_Format(PyExc_ValueError, "step %llu%s", self->steps, why);
    return -1;
}

/* Says which clause does not follow, as DIMACS would. */
static int does_not_follow(Checker *self)
{
    char text[400];
    size_t used = 0;
    for (size_t i = 0; i < self->step_used && used < sizeof text - 40; i++) {
        int32_t literal = self->step[i];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%d", i ? " " : "",
                                 literal & 1 ? "-" : "", (int)(literal >> 1));
        if (used >= sizeof text - 40 && i + 1 < self->step_used)
            used += (size_t)snprintf(text + used, sizeof text - used, " ...");
    }
    text[used] = 0;
    PyErr_Format(PyExc_ValueError, "step %llu, the clause '%s', does not follow", self->steps, text);
    return -1;
}

static int end_step(Checker *self)
{
    self->steps++;
    self->proved = self->conflict && !self->deletes && self->step_used == 0;
    int is_true = simplify(self, self->step, &self->step_used);
    if (is_true || self->conflict) {
        /* It follows. */
    } else if (self->deletes) {
        delete_clause(self, self->step, self->step_used);
    } else {
        int found = follows(self, self->step, self->step_used);
        if (found == 0)
            return does_not_follow(self);
        if (found < 0 || insert(self, self->step, self->step_used) < 0)
            return -1;
    }
    self->step_used = 0;
    self->begun = self->deletes = 0;
    return 0;
}

static int take_literal(Checker *self, int64_t variable, int negative)
{
    /* Solvers number the variables that they add one after the other. */
    int64_t largest = self->variables + SPARE_VARIABLES;
    if (variable > MAX_VARIABLE || variable > largest)
        return flawed(self, " is followed by a variable that is neither old nor the next new one");
    if (have_variable(self, variable) < 0
        || grow((void **)&self->step, &self->step_room, self->step_used + 1, sizeof(int32_t)) < 0)
        return -1;
    if (self->step_used > 4 * (size_t)self->variables + 1024)
        return flawed(self, " is followed by a clause with literals that repeat");
    self->step[self->step_used++] = (int32_t)(2 * variable + negative);
    return 0;
}

static int end_number(Checker *self)
{
    self->in_number = 0;
    self->begun = 1;
    if (self->number)
        return take_literal(self, self->number, self->negative);
    return end_step(self);
}

static int take_text(Checker *self, unsigned char byte)
{
    if (self->in_comment) {
        self->in_comment = byte != '\n';
        return 0;
    }
    if (byte >= '0' && byte <= '9') {
        if (!self->in_number)
            self->number = 0;
        self->in_number = 1;
        self->number = 10 * self->number + (byte - '0');
        return self->number > MAX_VARIABLE ? flawed(self, " is followed by too large a number") : 0;
    }
    if (self->in_number) {
        if (end_number(self) < 0)
            return -1;
    } else if (self->negative) {
        return flawed(self, NO_PROOF);
    }
    self->negative = 0;
    switch (byte) {
    case ' ':
    case '\t':
    case '\n':
    case '\r':
        return 0;
    case '-':
        self->negative = 1;
        return 0;
    case 'd':
        if (self->begun || self->deletes)
            break;
        self->deletes = 1;
        return 0;
    case 'c':
        if (self->begun || self->deletes)
            break;
        self->in_comment = 1;
        return 0;
    }
    return flawed(self, NO_PROOF);
}

static int take_binary(Checker *self, unsigned char byte)
{
    if (!self->begun) {
        if (byte != 'a' && byte != 'd')
            return flawed(self, NO_PROOF);
        self->begun = 1;
        self->deletes = byte == 'd';
        self->number = self->shift = 0;
        return 0;
    }
    self->number |= (long long)(byte & 127) << self->shift;
    self->shift += 7;
    if (byte & 128)
        return self->shift > 35 ? flawed(self, " is followed by too large a number") : 0;
    long long number = self->number;
    self->number = self->shift = 0;
    return number ? take_literal(self, number >> 1, number & 1) : end_step(self);
}

static void release(Checker *self)
{
    for (int64_t literal = 0; self->watches && literal < 2 * self->variable_room; literal++)
        free(self->watches[literal].items);
    free(self->arena);
    free(self->buckets);
    free(self->watches);
    free(self->values);
    free(self->occurrences);
    free(self->reasons);
    free(self->marks);
    free(self->trail);
    free(self->step);
}

static void dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    release((Checker *)object);
    freefunc release_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_object(object);
    Py_DECREF(type);
}

static int init(PyObject *object, PyObject *args, PyObject *keywords)
{
    Checker *self = (Checker *)object;
    int variables;
    if (!PyArg_ParseTuple(args, "i", &variables))
        return -1;
    if (self->buckets != NULL || keywords != NULL || variables < 0 || variables > MAX_VARIABLE) {
        PyErr_SetString(PyExc_ValueError, "expected a number of variables");
        return -1;
    }
    self->used = FIRST;
    return have_variable(self, variables) < 0 || rebuild(self, 1024) < 0 ? -1 : 0;
}

PyDoc_STRVAR(add_doc,
"add(block)\n--\n\nAdd clauses of the formula: int32, shape (clauses, width).");

static PyObject *add(PyObject *object, PyObject *block)
{
    Checker *self = (Checker *)object;
    Py_buffer view;
    if (PyObject_GetBuffer(block, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return NULL;
    int done = 0;
    if (view.ndim != 2 || view.itemsize != sizeof(int32_t) || strcmp(view.format, "i") != 0) {
        PyErr_SetString(PyExc_ValueError, "a block is int32, shape (clauses, width)");
        done = -1;
    }
    const int32_t *literal = view.buf;
    for (Py_ssize_t row = 0; done == 0 && row < view.shape[0]; row++) {
        self->step_used = 0;
        for (Py_ssize_t i = 0; done == 0 && i < view.shape[1]; i++, literal++)
            done = take_literal(self, *literal < 0 ? -(int64_t)*literal : *literal, *literal < 0);
        if (done == 0 && !simplify(self, self->step, &self->step_used))
            done = insert(self, self->step, self->step_used);
    }
    self->step_used = 0;
    PyBuffer_Release(&view);
    if (done < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(read_doc,
"read(piece)\n--\n\n"
"Check the next bytes of a proof. Return whether it is complete, after which nothing more is read.\n"
"Raise ValueError if a step does not follow. The first piece decides about the format: only a\n"
"binary proof has a byte 0.");

static PyObject *read_piece(PyObject *object, PyObject *piece)
{
    Checker *self = (Checker *)object;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(piece, &bytes, &size) < 0)
        return NULL;
    if (!self->started)
        self->binary = memchr(bytes, 0, (size_t)size) != NULL;
    self->started |= size > 0;
    for (Py_ssize_t i = 0; i < size && !self->proved; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((self->binary ? take_binary(self, byte) : take_text(self, byte)) < 0)
            return NULL;
    }
    return PyBool_FromLong(self->proved);
}

PyDoc_STRVAR(end_doc,
"end()\n--\n\nCheck the step that the end of the proof completes. Return as `read` does.");

static PyObject *end(PyObject *object, PyObject *unused)
{
    Checker *self = (Checker *)object;
    if (!self->proved && self->in_number && end_number(self) < 0)
        return NULL;
    return PyBool_FromLong(self->proved);
}

static PyObject *steps(PyObject *object, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(((Checker *)object)->steps);
}

static PyMethodDef methods[] = {
    {"add", add, METH_O, add_doc},
    {"read", read_piece, METH_O, read_doc},
    {"end", end, METH_NOARGS, end_doc},
    {"steps", steps, METH_NOARGS, "steps()\n--\n\nThe number of steps checked so far."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Checker(num_variables)\n--\n\nChecks one proof about one formula."},
    {Py_tp_init, init},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    "nqbench.evidence._drat.Checker", sizeof(Checker), 0, Py_TPFLAGS_DEFAULT, slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.evidence._drat", NULL, 0, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__drat(void)
{
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObject(made, "Checker", type) < 0) {
        Py_XDECREF(made);
        Py_XDECREF(type);
        return NULL;
    }
    return made;
}
