/* The core for Python. */
#include "../blocks.h"
#include "lrat.h"
#include "planes.h"

#include <stdlib.h>

static int take(void *lrat, const int32_t *literals, size_t size)
{
    return lrat_formula(lrat, literals, size);
}

static PyObject *replayed(Lrat *lrat, PyObject *blocks, FILE *proof)
{
    if (take_blocks(blocks, take, lrat) >= 0 && lrat_check(lrat, proof))
        Py_RETURN_NONE;
    if (PyErr_Occurred())
        return NULL;
    if (lrat->failure == LRAT_NO_MEMORY)
        return PyErr_NoMemory();
    if (ferror(proof))
        return PyErr_SetFromErrno(PyExc_OSError);
    return PyUnicode_FromFormat("step %llu, byte %llu: %s", (unsigned long long)lrat->steps + 1,
                                (unsigned long long)lrat->bytes, lrat->failure);
}

PyDoc_STRVAR(flaw_doc,
"flaw(blocks, variables, file)\n--\n\n"
"Replay a proof in binary LRAT. Return what is wrong with it, or None if nothing.\n\n"
"blocks: the formula, int32 arrays of shape (clauses, width). variables: the largest one in formula\n"
"and proof. file: a descriptor, read to its end. Raises MemoryError and OSError, which say nothing\n"
"about the proof.");

static PyObject *flaw(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *blocks, *found;
    int variables, descriptor;
    if (!PyArg_ParseTuple(args, "Oii", &blocks, &variables, &descriptor) || !is_variable(variables))
        return NULL;
    Py_ssize_t clauses = take_blocks(blocks, NULL, NULL);
    FILE *proof = clauses < 0 ? NULL : opened(descriptor, "rb");
    if (proof == NULL)
        return NULL;
    Lrat *lrat = lrat_new((uint32_t)variables, (size_t)clauses);
    found = lrat == NULL ? PyErr_NoMemory() : replayed(lrat, blocks, proof);
    if (lrat != NULL)
        lrat_free(lrat);
    fclose(proof);
    return found;
}

typedef struct {
    Py_buffer ends, literals, weights, degrees;
} Rows;

/* Gives rows to the checker: the last one is the objective. */
static int take_rows(Planes *planes, const Rows *rows)
{
    const int64_t *ends = rows->ends.buf, *weights = rows->weights.buf, *degrees = rows->degrees.buf;
    const int32_t *literals = rows->literals.buf;
    Py_ssize_t count = rows->ends.len / (Py_ssize_t)sizeof(int64_t);
    Py_ssize_t all = rows->literals.len / (Py_ssize_t)sizeof(int32_t);
    Term *terms = malloc(((size_t)all + 1) * sizeof(Term));
    int is_taken = terms != NULL;
    if (!is_taken)
        planes->failure = PLANES_NO_MEMORY;
    for (Py_ssize_t row = 0, at = 0; is_taken && row < count; row++) {
        size_t size = 0;
        for (; at < ends[row] && at < all; at++) {
            int64_t literal = literals[at];
            uint32_t coded = (uint32_t)(literal < 0 ? 1 - 2 * literal : 2 * literal);
            terms[size++] = (Term){coded, weights[at]};
        }
        is_taken = row + 1 < count ? planes_row(planes, terms, size, degrees[row])
                                   : planes_objective(planes, terms, size);
    }
    free(terms);
    return is_taken;
}

static PyObject *shown(Planes *planes, const Rows *rows, FILE *proof)
{
    if (take_rows(planes, rows) && planes_check(planes, proof)) {
        if (planes->has_bound)
            return PyLong_FromLongLong((long long)planes->bound);
        Py_RETURN_NONE;
    }
    if (planes->is_too_large)
        return PyErr_Format(PyExc_OverflowError, "line %llu: %s", (unsigned long long)planes->line,
                            planes->failure);
    if (ferror(proof))
        return PyErr_SetFromErrno(PyExc_OSError);
    if (planes->failure == PLANES_NO_MEMORY)
        return PyErr_NoMemory();
    if (planes->line == 0)
        return PyUnicode_FromString(planes->failure);
    return PyUnicode_FromFormat("line %llu: %s", (unsigned long long)planes->line, planes->failure);
}

static int is_buffer(PyObject *object, Py_buffer *view, Py_ssize_t size, Py_ssize_t count)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return 0;
    if (view->ndim == 1 && view->itemsize == size && (count < 0 || view->shape[0] == count))
        return 1;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "rows are arrays of one dimension: int64, int32, int64, int64");
    return 0;
}

static PyObject *bound_of(const Rows *rows, int variables, int descriptor)
{
    FILE *proof = opened(descriptor, "rb");
    if (proof == NULL)
        return NULL;
    size_t count = (size_t)rows->ends.shape[0];
    Planes *planes = planes_new((uint32_t)variables, count);
    PyObject *found = planes == NULL ? PyErr_NoMemory() : shown(planes, rows, proof);
    if (planes != NULL)
        planes_free(planes);
    fclose(proof);
    return found;
}

PyDoc_STRVAR(bound_doc,
"bound(variables, ends, literals, weights, degrees, file)\n--\n\n"
"Check a proof about rows in VeriPB's format. Return what it shows: that no values meet the rows\n"
"(None), or none with an objective below a number (int); or what is wrong with it (str).\n\n"
"Row r has the literals and weights up to ends[r], and the sum degrees[r] at least. The last one is\n"
"the objective. The weights and degrees of each row add up to less than 2**62. file: a descriptor.\n"
"Raises OverflowError if a number is too large, MemoryError and OSError, which say nothing about the\n"
"proof.");

static PyObject *bound(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *ends, *literals, *weights, *degrees, *found = NULL;
    int variables, descriptor;
    if (!PyArg_ParseTuple(args, "iOOOOi", &variables, &ends, &literals, &weights, &degrees, &descriptor)
        || !is_variable(variables))
        return NULL;
    Rows rows;
    if (!is_buffer(ends, &rows.ends, sizeof(int64_t), -1))
        return NULL;
    if (is_buffer(literals, &rows.literals, sizeof(int32_t), -1)) {
        if (is_buffer(weights, &rows.weights, sizeof(int64_t), rows.literals.shape[0])) {
            if (is_buffer(degrees, &rows.degrees, sizeof(int64_t), rows.ends.shape[0])) {
                found = bound_of(&rows, variables, descriptor);
                PyBuffer_Release(&rows.degrees);
            }
            PyBuffer_Release(&rows.weights);
        }
        PyBuffer_Release(&rows.literals);
    }
    PyBuffer_Release(&rows.ends);
    return found;
}

static PyMethodDef methods[] = {
    {"flaw", flaw, METH_VARARGS, flaw_doc},
    {"bound", bound, METH_VARARGS, bound_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.checking._core", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModule_Create(&module);
}
