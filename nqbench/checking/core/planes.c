/* Reads a proof line by line. A line has a rule and words; what the rules mean, and why each is sound,
 * is in `cutting_planes.py`. The proof is read up to the first row that no values meet.
 *
 * A variable x1, x2, ... up to their number is that of the file. Any other name gets the next number
 * after these when it is first read, in a row, a literal or a solution; only before that is it fresh.
 */
#include "planes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 18 };

const char PLANES_NO_MEMORY[] = "out of memory";
static const char END[] = ";";

_Noreturn void planes_fail(Planes *self, const char *why)
{
    self->failure = why;
    longjmp(self->failed, 1);
}

_Noreturn void planes_too_large(Planes *self)
{
    self->is_too_large = 1;
    planes_fail(self, "a number is too large");
}

void *planes_room(Planes *self, void *old, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return old;
    size_t larger = needed < 8 ? 8 : 2 * needed;
    char *moved = realloc(old, larger * size);
    if (moved == NULL)
        planes_fail(self, PLANES_NO_MEMORY);
    memset(moved + *room * size, 0, (larger - *room) * size);
    *room = larger;
    return moved;
}

Planes *planes_new(uint32_t variables, size_t file_rows)
{
    Planes *self = calloc(1, sizeof(Planes));
    if (self == NULL)
        return NULL;
    self->variables = self->largest = variables;
    if ((self->file = calloc(file_rows + 1, sizeof(Row *))) != NULL)
        return self;
    free(self);
    return NULL;
}

void planes_free(Planes *self)
{
    for (size_t i = 0; i < self->file_rows; i++)
        free(self->file[i]);
    for (size_t id = 1; id <= self->last; id++)
        free(self->by_id[id]);
    for (size_t i = 0; i < self->height; i++)
        free(self->stack[i]);
    for (size_t i = 0; i < self->literals_room; i++)
        free(self->uses[i].rows);
    free(self->in.words);
    free(self->in.terms);
    free(self->in.text);
    names_free(&self->names);
    names_free(&self->labels);
    free(self->file);
    free(self->objective);
    free(self->by_id);
    free(self->stack);
    free(self->numbers);
    free(self->uses);
    free(self->units.rows);
    free(self->since);
    free(self->trail);
    free(self);
}

int planes_row(Planes *self, Term *terms, size_t size, Whole degree)
{
    if (setjmp(self->failed) != 0)
        return 0;
    self->file[self->file_rows] = row_of(self, terms, size, degree);
    self->is_refuted |= row_is_contradiction(self->file[self->file_rows++]);
    return 1;
}

int planes_objective(Planes *self, Term *terms, size_t size)
{
    if ((self->objective = malloc(sizeof(Row) + size * sizeof(Term))) == NULL) {
        self->failure = PLANES_NO_MEMORY;
        return 0;
    }
    self->objective->degree = 0;
    self->objective->size = size;
    memcpy(self->objective->terms, terms, size * sizeof(Term));
    return 1;
}

static int is_end(const char *word)
{
    return strcmp(word, ";") == 0 || strcmp(word, ":") == 0;
}

static int is_number(const char *word)
{
    word += *word == '+' || *word == '-';
    return *word != 0 && word[strspn(word, "0123456789")] == 0;
}

static int64_t number_in(Planes *self, const char *word)
{
    if (!is_number(word))
        planes_fail(self, "expected a whole number");
    if (strlen(word) > MOST_DIGITS)
        planes_too_large(self);
    return strtoll(word, NULL, 10);
}

static int64_t id_in(Planes *self, const char *word)
{
    if (*word != '@')
        return number_in(self, word);
    uint64_t id = names_find(&self->labels, word);
    if (id == 0)
        planes_fail(self, "no row has this label");
    return (int64_t)id - 1; /* so that 0 can be one */
}

static int is_name(const char *word)
{
    if ((*word < 'A' || *word > 'Z') && (*word < 'a' || *word > 'z') && *word != '_')
        return 0;
    for (; *word != 0; word++)
        if (*word < '!' || *word > '}')
            return 0;
    return 1;
}

/* The variable of the file that has this name; 0 if it is none of the file. */
static uint32_t of_file(const Planes *self, const char *name)
{
    if (name[0] != 'x' || name[1] < '1' || name[1] > '9' || strlen(name) > 11 || !is_number(name + 1))
        return 0;
    long long variable = strtoll(name + 1, NULL, 10);
    return variable <= self->variables ? (uint32_t)variable : 0;
}

static uint32_t literal_in(Planes *self, const char *word)
{
    uint32_t is_negative = *word == '~';
    const char *name = word + is_negative;
    if (!is_name(name))
        planes_fail(self, "a word is no literal, and nothing else that is supported");
    uint64_t variable = of_file(self, name);
    if (variable == 0 && (variable = names_find(&self->names, name)) == 0) {
        if (self->largest >= (uint32_t)1 << 30)
            planes_too_large(self);
        variable = ++self->largest;
        names_set(self, &self->names, name, variable);
    }
    return 2 * (uint32_t)variable + is_negative;
}

static void number_row(Planes *self, Row *row)
{
    self->by_id = planes_room(self, self->by_id, &self->room, self->last + 2, sizeof(Row *));
    self->by_id[++self->last] = row;
    self->is_refuted |= row_is_contradiction(row);
}

static const char *word_at(Planes *self, const Line *line, size_t at)
{
    if (at >= line->count)
        planes_fail(self, "an operand is missing");
    return line->words[at];
}

/* The first `;` or `:` from here on, or the end. */
static size_t cut(const Line *line, size_t at)
{
    while (at < line->count && !is_end(line->words[at]))
        at++;
    return at;
}

/* The row that is written from word 1 on. */
static Row *row_in(Planes *self, Line *line, size_t at)
{
    size_t end = cut(line, at), size = 0;
    if (end < at + 2 || (end - at) % 2 != 0 || strcmp(line->words[end - 2], ">=") != 0)
        planes_fail(self, "expected weights and literals in turn, '>=' and a bound");
    line->terms = planes_room(self, line->terms, &line->terms_room, end - at, sizeof(Term));
    for (; at + 2 < end; at += 2) {
        Whole weight = number_in(self, line->words[at]);
        line->terms[size++] = (Term){literal_in(self, line->words[at + 1]), weight};
    }
    return row_of(self, line->terms, size, number_in(self, line->words[end - 1]));
}

static const Row *operand(Planes *self, size_t depth)
{
    if (depth > self->height)
        planes_fail(self, "an operand is missing");
    size_t at = self->height - depth;
    if (self->stack[at] != NULL)
        return self->stack[at];
    int64_t id = self->numbers[at];
    if (id <= 0)
        id += (int64_t)self->last + 1;
    if (id < 1 || (uint64_t)id > self->last || self->by_id[id] == NULL)
        planes_fail(self, "no row has this number");
    return self->by_id[id];
}

static void push(Planes *self, Row *row, int64_t number)
{
    size_t room = self->stack_room;
    self->stack = planes_room(self, self->stack, &room, self->height + 1, sizeof(Row *));
    room = self->stack_room;
    self->numbers = planes_room(self, self->numbers, &room, self->height + 1, sizeof(int64_t));
    self->stack_room = room;
    self->stack[self->height] = row;
    self->numbers[self->height++] = number;
}

/* Puts a row in place of so many operands. */
static void replace(Planes *self, size_t count, Row *row)
{
    for (; count > 0; count--)
        free(self->stack[--self->height]);
    push(self, row, 0);
}

static void calculate(Planes *self, Line *line)
{
    size_t end = cut(line, 1);
    if (end > 1 && strcmp(line->words[end - 1], "0") == 0)
        end--;
    for (size_t i = 1; i < end; i++) {
        const char *word = line->words[i];
        if (strcmp(word, "+") == 0) {
            replace(self, 2, row_add(self, operand(self, 2), operand(self, 1)));
        } else if (strcmp(word, "*") == 0 || strcmp(word, "d") == 0) {
            const Row *row = operand(self, 2);
            int64_t number = self->numbers[self->height - 1];
            if (self->stack[self->height - 1] != NULL || number < 1)
                planes_fail(self, "a positive number has to be before '*' and 'd'");
            replace(self, 2, *word == '*' ? row_multiply(self, row, number)
                                          : row_divide(self, row, number));
        } else if (strcmp(word, "s") == 0) {
            replace(self, 1, row_saturate(self, operand(self, 1)));
        } else if (strcmp(word, "w") == 0) {
            const Row *variable = operand(self, 1);
            if (variable->size != 1)
                planes_fail(self, "a variable has to be before 'w'");
            replace(self, 2, row_weaken(self, operand(self, 2), variable->terms[0].literal / 2));
        } else if (is_number(word) || *word == '@') {
            push(self, NULL, id_in(self, word));
        } else {
            Term term = {literal_in(self, word), 1};
            push(self, row_of(self, &term, 1, 0), 0);
        }
    }
    if (self->height != 1)
        planes_fail(self, "'pol' does not end with one row");
    number_row(self, row_copy(self, operand(self, 1)));
    free(self->stack[0]);
    self->height = 0;
}

static void infer(Planes *self, Line *line)
{
    push(self, row_in(self, line, 1), 0);
    push(self, row_negate(self, self->stack[0]), 0);
    if (!rows_refute(self, self->stack[1]))
        planes_fail(self, "the row does not follow by propagation");
    number_row(self, row_copy(self, self->stack[0]));
    free(self->stack[1]);
    free(self->stack[0]);
    self->height = 0;
}

static void define(Planes *self, Line *line)
{
    const char *witness[2];
    size_t count = 0;
    for (size_t i = cut(line, 1) + 1; i < line->count; i++)
        if (!is_end(line->words[i]) && strcmp(line->words[i], "->") != 0) {
            if (count < 2)
                witness[count] = line->words[i];
            count++;
        }
    if (count != 2 || (strcmp(witness[1], "0") != 0 && strcmp(witness[1], "1") != 0))
        planes_fail(self, "'red' is supported with one fresh variable and its value");
    if (!is_name(witness[0]) || of_file(self, witness[0]) || names_find(&self->names, witness[0]))
        planes_fail(self, "the variable of 'red' is not fresh");
    push(self, row_in(self, line, 1), 0);
    const Row *row = self->stack[0];
    uint32_t literal = literal_in(self, witness[0]) ^ (*witness[1] == '0');
    Whole weight = 0;
    for (size_t i = 0; i < row->size; i++)
        if (row->terms[i].literal == literal)
            weight = row->terms[i].weight;
    if (weight < row->degree)
        planes_fail(self, "the variable of 'red' does not meet the row alone");
    self->height = 0;
    number_row(self, self->stack[0]);
}

static void improve(Planes *self, Line *line)
{
    size_t size = self->objective == NULL ? 0 : self->objective->size;
    line->terms = planes_room(self, line->terms, &line->terms_room, size + line->count, sizeof(Term));
    size_t count = 0;
    for (size_t i = 1; i < line->count; i++)
        if (!is_end(line->words[i]))
            line->terms[count++].literal = literal_in(self, line->words[i]);
    rows_prepare(self);
    self->now++;
    for (size_t i = 0; i < count; i++)
        self->since[line->terms[i].literal] = self->now;
    Whole value = 0;
    for (size_t i = 0; i < size; i++) {
        Term term = self->objective->terms[i];
        if (self->since[term.literal] == self->now)
            value += term.weight;
        else if (self->since[term.literal ^ 1] != self->now)
            planes_fail(self, "a solution lacks a variable of the objective");
        line->terms[i] = (Term){term.literal, -term.weight};
    }
    if (!self->has_bound || value < self->bound)
        self->bound = value;
    self->has_bound = 1;
    number_row(self, row_of(self, line->terms, size, 1 - value));
}

static void delete(Planes *self, const Line *line)
{
    size_t begin = line->count > 1 && strcmp(line->words[1], "id") == 0 ? 2 : 1;
    size_t end = cut(line, begin);
    for (size_t i = begin; i < end; i++)
        if (!is_number(line->words[i]) && *line->words[i] != '@')
            return; /* it is not known which, and all may stay */
    for (size_t i = begin; i < end; i++) {
        int64_t id = id_in(self, line->words[i]);
        if (id > 0 && (uint64_t)id <= self->last) {
            free(self->by_id[id]);
            self->by_id[id] = NULL;
        }
    }
}

static void load(Planes *self, const Line *line)
{
    int64_t number = number_in(self, word_at(self, line, 1));
    if (number < 1 || (uint64_t)number > self->file_rows)
        planes_fail(self, "the file has no such row");
    number_row(self, row_copy(self, self->file[number - 1]));
}

static void load_all(Planes *self, const Line *line)
{
    if (line->count > 1 && !is_end(line->words[1]) &&
        number_in(self, line->words[1]) != (int64_t)self->file_rows)
        planes_fail(self, "it is about another number of rows than the file has");
    for (size_t i = 0; i < self->file_rows; i++)
        number_row(self, row_copy(self, self->file[i]));
}

static int is_one_of(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

static void follow(Planes *self, Line *line)
{
    const char *rule = word_at(self, line, 0);
    if (is_one_of(rule, "pol", "p"))
        calculate(self, line);
    else if (is_one_of(rule, "rup", "u"))
        infer(self, line);
    else if (strcmp(rule, "red") == 0)
        define(self, line);
    else if (is_one_of(rule, "soli", "o"))
        improve(self, line);
    else if (is_one_of(rule, "d", "del"))
        delete(self, line);
    else if (strcmp(rule, "l") == 0)
        load(self, line);
    else if (strcmp(rule, "f") == 0)
        load_all(self, line);
    else if (is_one_of(rule, "c", "output") || is_one_of(rule, "conclusion", "end"))
        planes_fail(self, "it concludes without a contradiction");
    else if (strcmp(rule, "pseudo-Boolean") != 0)
        planes_fail(self, "a rule is not supported");
}

/* Cuts the text into words. A `;` is one by itself. */
static void split(Planes *self, Line *line, size_t length)
{
    line->count = 0;
    int is_inside = 0;
    for (size_t i = 0; i < length; i++) {
        char *at = line->text + i;
        int is_blank = *at == ' ' || (*at >= '\t' && *at <= '\r');
        if (*at == 0)
            *at = 1; /* which is in no word that is known */
        if (*at == ';' || (!is_blank && !is_inside)) {
            line->words = planes_room(self, line->words, &line->room, line->count + 1, sizeof(char *));
            line->words[line->count++] = *at == ';' ? (char *)END : at;
        }
        is_inside = !is_blank && *at != ';';
        if (!is_inside)
            *at = 0;
    }
}

static void read_lines(Planes *self, Line *line, FILE *proof)
{
    ssize_t length;
    while (!self->is_refuted && (length = getline(&line->text, &line->text_room, proof)) >= 0) {
        self->line++;
        split(self, line, (size_t)length);
        if (line->count == 0 || *line->words[0] == '*')
            continue;
        const char *label = *line->words[0] == '@' ? line->words[0] : NULL;
        if (label != NULL) {
            line->count--;
            memmove(line->words, line->words + 1, line->count * sizeof(char *));
        }
        follow(self, line);
        if (label != NULL)
            names_set(self, &self->labels, label, self->last + 1);
    }
    if (!self->is_refuted) {
        self->line = 0;
        planes_fail(self, feof(proof) ? "it ends without a contradiction" : PLANES_NO_MEMORY);
    }
}

int planes_check(Planes *self, FILE *proof)
{
    if (setjmp(self->failed) != 0)
        return 0;
    read_lines(self, &self->in, proof);
    return 1;
}
