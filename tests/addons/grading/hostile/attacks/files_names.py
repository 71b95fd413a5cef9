"""Leaves names that are no text, have line ends and control characters, or are long."""

for name in (
    b"M\xfcller.cnf",
    b"a\nb",
    b"\x1b[2J",
    b"-rf",
    b"=1+1",
    b"x" * 255,
    "\u202e".encode(),
    b"{n}",
):
    open(name, "w").close()
