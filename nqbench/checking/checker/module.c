/* The checker as a type of Python. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    const Format *format;
    void *state;
} Checker;

int no_memory(void)
{
    PyErr_NoMemory();
    return -1;
}

int flawed(const Proof *proof, const char *why)
{
    PyErr_Format(PyExc_ValueError, "step %llu %s", proof->steps, why);
    return -1;
}

static Proof *proof_of(PyObject *object)
{
    return ((Checker *)object)->state;
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *name;
    int variables;
    if (!PyArg_ParseTuple(args, "si", &name, &variables))
        return NULL;
    const Format *format = strcmp(name, drat.name) == 0   ? &drat
                           : strcmp(name, lrat.name) == 0 ? &lrat
                                                          : NULL;
    if (format == NULL || keywords != NULL || variables < 0 || variables > MAX_VARIABLE)
        return PyErr_Format(PyExc_ValueError, "expected a format and a number of variables");
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Checker *self = (Checker *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    self->format = format;
    self->state = calloc(1, format->size);
    if (self->state == NULL)
        no_memory();
    if (self->state == NULL || format->begin(self->state, variables) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    Checker *self = (Checker *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->state != NULL)
        self->format->release(self->state);
    free(self->state);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
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
    const int32_t *literals = view.buf;
    for (Py_ssize_t row = 0; done == 0 && row < view.shape[0]; row++) {
        done = self->format->add(self->state, literals, (size_t)view.shape[1]);
        literals += view.shape[1];
    }
    PyBuffer_Release(&view);
    if (done < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(read_doc,
"read(piece)\n--\n\n"
"Check the next bytes of a proof. Return whether it is complete, after which nothing more is read.\n"
"Raise ValueError if a step does not follow.");

static PyObject *read_piece(PyObject *object, PyObject *piece)
{
    Checker *self = (Checker *)object;
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(piece, &bytes, &size) < 0)
        return NULL;
    if (self->format->read(self->state, (const unsigned char *)bytes, (size_t)size) < 0)
        return NULL;
    return PyBool_FromLong(proof_of(object)->proved);
}

PyDoc_STRVAR(end_doc,
"end()\n--\n\nCheck the step that the end of the proof completes. Return as `read` does.");

static PyObject *end(PyObject *object, PyObject *unused)
{
    Checker *self = (Checker *)object;
    if (!proof_of(object)->proved && self->format->end(self->state) < 0)
        return NULL;
    return PyBool_FromLong(proof_of(object)->proved);
}

static PyObject *steps(PyObject *object, PyObject *unused)
{
    return PyLong_FromUnsignedLongLong(proof_of(object)->steps);
}

static PyMethodDef methods[] = {
    {"add", add, METH_O, add_doc},
    {"read", read_piece, METH_O, read_doc},
    {"end", end, METH_NOARGS, end_doc},
    {"steps", steps, METH_NOARGS, "steps()\n--\n\nThe number of steps checked so far."},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(doc,
"Checker(format, num_variables)\n--\n\nChecks one proof, in the format 'drat' or 'lrat', about one formula.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},
    {Py_tp_new, make},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    "nqbench.checking._checker.Checker", sizeof(Checker), 0, Py_TPFLAGS_DEFAULT, slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.checking._checker", NULL, 0, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__checker(void)
{
    PyObject *made = PyModule_Create(&module), *type = PyType_FromSpec(&spec);
    if (made == NULL || type == NULL || PyModule_AddObject(made, "Checker", type) < 0) {
        Py_XDECREF(made);
        Py_XDECREF(type);
        return NULL;
    }
    return made;
}
