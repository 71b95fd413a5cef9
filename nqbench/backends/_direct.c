/* Gives blocks of clauses to a solver in this process by calling the functions of its library.
 *
 * A block is a C-contiguous array of int32, shape (clauses, width), of literals in DIMACS numbering.
 * Functions and solvers are addresses. Whether an address fits is for the caller to know: see
 * direct.py, which tests each solver before it trusts it.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Takes what `block` holds. Returns -1 with an exception set if that is not a block. */
static int take(PyObject *block, Py_buffer *view)
{
    if (PyObject_GetBuffer(block, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return -1;
    if (view->ndim == 2 && view->itemsize == sizeof(int32_t) && strcmp(view->format, "i") == 0)
        return 0;
    PyBuffer_Release(view);
    PyErr_SetString(PyExc_ValueError, "a block is int32, shape (clauses, width)");
    return -1;
}

PyDoc_STRVAR(add_literals_doc,
"add_literals(add, solver, block)\n--\n\n"
"Call add(solver, literal) for each literal of each clause, and add(solver, 0) after each clause.");

static PyObject *add_literals(PyObject *module, PyObject *args)
{
    unsigned long long function, solver;
    PyObject *block;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "KKO", &function, &solver, &block) || take(block, &view) < 0)
        return NULL;
    void (*add)(void *, int) = (void (*)(void *, int))(uintptr_t)function;
    const int32_t *literal = view.buf;
    for (Py_ssize_t clause = 0; clause < view.shape[0]; clause++) {
        for (Py_ssize_t i = 0; i < view.shape[1]; i++)
            add((void *)(uintptr_t)solver, *literal++);
        add((void *)(uintptr_t)solver, 0);
    }
    PyBuffer_Release(&view);
    Py_RETURN_NONE;
}

/* The vec<Lit> of MiniSat, mtl/Vec.h. A literal is twice its variable, plus 1 if it is negative. */
struct clause {
    int *literals;
    int size;
    int capacity;
};

PyDoc_STRVAR(add_clauses_doc,
"add_clauses(new_var, polarity, add_clause, solver, variables, block)\n--\n\n"
"Call add_clause(solver, clause) for each clause, after new_var(solver, polarity, 1) for each\n"
"variable that it is the first to have. Variable 0 counts. Return how many variables there are,\n"
"of which there were `variables` before.");

static PyObject *add_clauses(PyObject *module, PyObject *args)
{
    unsigned long long for_variable, for_clause, solver;
    int polarity, variables;
    PyObject *block;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "KiKKiO", &for_variable, &polarity, &for_clause, &solver,
                          &variables, &block)
        || take(block, &view) < 0)
        return NULL;
    int (*new_var)(void *, int, int) = (int (*)(void *, int, int))(uintptr_t)for_variable;
    int (*add_clause)(void *, struct clause *) =
        (int (*)(void *, struct clause *))(uintptr_t)for_clause;
    int width = (int)view.shape[1];
    struct clause clause = {PyMem_Malloc(sizeof(int) * (width + 1)), 0, width + 1};
    if (clause.literals == NULL) {
        PyBuffer_Release(&view);
        return PyErr_NoMemory();
    }
    int *const buffer = clause.literals;
    const int32_t *literal = view.buf;
    for (Py_ssize_t row = 0; row < view.shape[0]; row++) {
        for (int i = 0; i < width; i++, literal++) {
            int variable = *literal < 0 ? -*literal : *literal;
            while (variables <= variable) {
                new_var((void *)(uintptr_t)solver, polarity, 1);
                variables++;
            }
            clause.literals[i] = 2 * variable + (*literal < 0);
        }
        clause.size = width;
        add_clause((void *)(uintptr_t)solver, &clause);
    }
    PyMem_Free(buffer);
    PyBuffer_Release(&view);
    return PyLong_FromLong(variables);
}

static PyMethodDef methods[] = {
    {"add_literals", add_literals, METH_VARARGS, add_literals_doc},
    {"add_clauses", add_clauses, METH_VARARGS, add_clauses_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "nqbench.backends._direct", NULL, 0, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__direct(void)
{
    return PyModule_Create(&module);
}
