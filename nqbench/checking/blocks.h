/* The clauses of a formula as Python holds them: int32 arrays of shape (clauses, width). */
#ifndef NQBENCH_BLOCKS_H
#define NQBENCH_BLOCKS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_VARIABLE = 1 << 28 };

typedef int (*TakeClause)(void *state, const int32_t *literals, size_t size);

/* Gives each clause of a block to `take`, if there is one. Returns how many clauses there are, or -1:
 * with an exception, or if `take` returned 0. */
static Py_ssize_t take_block(PyObject *block, TakeClause take, void *state)
{
    Py_buffer view;
    if (block == NULL || PyObject_GetBuffer(block, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return -1;
    Py_ssize_t rows = -1;
    if (view.ndim == 2 && view.itemsize == sizeof(int32_t) && strcmp(view.format, "i") == 0)
        rows = view.shape[0];
    else
        PyErr_SetString(PyExc_ValueError, "a block is int32, shape (clauses, width)");
    const int32_t *literals = view.buf;
    for (Py_ssize_t row = 0; take != NULL && row < rows; row++) {
        if (!take(state, literals, (size_t)view.shape[1]))
            rows = -1;
        literals += view.shape[1];
    }
    PyBuffer_Release(&view);
    return rows;
}

/* The same for all blocks of a sequence. */
static Py_ssize_t take_blocks(PyObject *blocks, TakeClause take, void *state)
{
    Py_ssize_t clauses = 0, count = PySequence_Size(blocks);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *block = PySequence_GetItem(blocks, i);
        Py_ssize_t rows = take_block(block, take, state);
        Py_XDECREF(block);
        if (rows < 0)
            return -1;
        clauses += rows;
    }
    return count < 0 ? -1 : clauses;
}

/* Opens a copy of a descriptor. Returns NULL with an exception. */
static FILE *opened(int descriptor, const char *mode)
{
    int copy = dup(descriptor);
    FILE *file = copy < 0 ? NULL : fdopen(copy, mode);
    if (file != NULL)
        return file;
    PyErr_SetFromErrno(PyExc_OSError);
    if (copy >= 0)
        close(copy);
    return NULL;
}

static int is_variable(int largest)
{
    if (largest >= 0 && largest <= LARGEST_VARIABLE)
        return 1;
    PyErr_Format(PyExc_ValueError, "%d is no largest variable", largest);
    return 0;
}

#endif
