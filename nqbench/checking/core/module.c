/* The core for Python. */
#include "../blocks.h"
#include "lrat.h"

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

static PyMethodDef methods[] = {
    {"flaw", flaw, METH_VARARGS, flaw_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.checking._core", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModule_Create(&module);
}
