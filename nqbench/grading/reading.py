"""Stand-in."""

import io, re
from nqbench.clauses import dimacs
from nqbench.common.errors import InputError

_HEADER = re.compile(rb"^[ \t]*p[ \t]+cnf[ \t]", re.M)


def read_left(output, left, chosen):
    texts = [left[chosen]] if chosen in left else [output, *left.values()]
    for text in texts:
        if m := _HEADER.search(text):
            try:
                data = text[m.start() :]
                cnf = dimacs.read(data, "the formula", lenient=True)
            except InputError as error:
                return f"flaw\n{error}\n\n".encode()
            note = dimacs.miscounted(data, "the formula") or ""
            file = io.BytesIO()
            dimacs.write(cnf, file)
            notes = []
            if note:
                notes.append(note)
            if text[: m.start()].strip():
                notes.append("text before the formula")
            return b"formula\n" + "\n".join(notes).encode() + b"\n\n" + file.getvalue()
    if re.search(rb"^[sv] ", output, re.M):
        return b"flaw\nit prints a solver's output\n\n"
    return b"flaw\nno formula\n\n"
