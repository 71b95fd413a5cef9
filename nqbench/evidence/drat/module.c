/* The checker as a type of Python. */
#include "checker.h"

#include <string.h>

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
