/* The elaboration for Python. */
#include "../blocks.h"
#include "drat.h"

static int take(void *drat, const int32_t *literals, size_t size)
{
    return drat_formula(drat, literals, size);
}

static PyObject *elaborated(Drat *drat, PyObject *blocks, FILE *proof, FILE *out)
{
    int done = take_blocks(blocks, take, drat) >= 0 && drat_elaborate(drat, proof);
    if (PyErr_Occurred())
        return NULL;
    if (drat->no_memory)
        return PyErr_NoMemory();
    if (ferror(proof) || fflush(out) != 0 || ferror(out))
        return PyErr_SetFromErrno(PyExc_OSError);
    if (!done)
        return PyErr_Format(PyExc_ValueError, "%s", drat->failure);
    return PyLong_FromLongLong(drat->variables);
}

PyDoc_STRVAR(elaborate_doc,
"elaborate(blocks, variables, source, target)\n--\n\n"
"Turn a DRAT proof, as text or binary, into binary LRAT. Return the largest variable.\n\n"
"blocks: the formula, int32 arrays of shape (clauses, width). variables: its largest one. source and\n"
"target: descriptors. Raises ValueError if a step does not follow, and MemoryError and OSError, which\n"
"say nothing about the proof.");

static PyObject *elaborate(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *blocks, *done = NULL;
    int variables, source, target;
    if (!PyArg_ParseTuple(args, "Oiii", &blocks, &variables, &source, &target)
        || !is_variable(variables))
        return NULL;
    Py_ssize_t clauses = take_blocks(blocks, NULL, NULL);
    if (clauses < 0)
        return NULL;
    if (clauses > MAX_ID)
        return PyErr_NoMemory();
    FILE *proof = opened(source, "rb"), *out = proof == NULL ? NULL : opened(target, "wb");
    Drat *drat = out == NULL ? NULL : drat_new(variables, (uint32_t)clauses, out);
    if (drat != NULL) {
        done = elaborated(drat, blocks, proof, out);
        drat_free(drat);
    } else if (out != NULL) {
        PyErr_NoMemory();
    }
    if (out != NULL)
        fclose(out);
    if (proof != NULL)
        fclose(proof);
    return done;
}

static PyMethodDef methods[] = {
    {"elaborate", elaborate, METH_VARARGS, elaborate_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.checking._elaborate", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__elaborate(void)
{
    return PyModule_Create(&module);
}
