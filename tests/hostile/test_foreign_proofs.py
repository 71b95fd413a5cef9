"""Proofs that no solver wrote need bounded memory."""

import subprocess
import sys
import tempfile

import pytest

from nqbench import isolate
from nqbench.checking import proof
from nqbench.common.limits import Limits
from nqbench.encodings.base import Encoding
from nqbench.problems.families.pigeonhole import Pigeonhole

PIGEONS = Encoding.named("pairwise").encode(Pigeonhole(5))


@pytest.mark.parametrize(
    "piece",
    [b"1 " * 1000, b"c nothing\n" * 1000, b"\x00" * 1000, b"a\x03" * 1000, b"-1 2 0 1 0\n"],
)
def test_a_foreign_proof_of_any_size_is_refused_in_bounded_memory(piece):
    """Endless content that is no proof: refused at once, or read at a constant size."""
    endless = "import sys\nwhile True: sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))"
    writer = subprocess.Popen(
        [sys.executable, "-c", endless, piece.hex()],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    def read():
        with tempfile.TemporaryFile() as hinted:
            return str(proof.write_lrat(PIGEONS, writer.stdout, hinted).flaw).encode()

    keep = [writer.stdout.fileno()]
    ending = isolate.call(read, Limits(time_s=2.0, memory_bytes=2**29), keep=keep)
    writer.kill()
    writer.communicate()
    if piece.startswith((b"c", b"1", b"a")):  # literals that repeat are one
        assert ending.outcome == "timeout"
        assert ending.peak_rss_bytes < 2**28
    else:
        assert ending.outcome == "finished", ending.message
        assert b"step" in ending.payload
