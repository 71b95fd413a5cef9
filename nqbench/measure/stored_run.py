"""Runs that a store keeps, so that their answers can be checked later.

A store may come from anybody: `unpack_run` is the gate for what it holds.
"""

import zlib

import msgspec

from nqbench.common.errors import InputError
from nqbench.measure import validation
from nqbench.measure.wire import Order
from nqbench.records.record import Record, Run
from nqbench.records.unchecked import LARGEST, is_unchecked


def pack_run(record: Record, run: Run) -> bytes | None:
    """What the store keeps of a run besides its record; None if its answer is checked."""
    if not is_unchecked(record):
        return None
    return zlib.compress(msgspec.msgpack.encode(Order.of(run)))


def unpack_run(content: object, record: Record) -> Run:
    """The run of this record, from what `pack_run` made. Raises `InputError` for anything else."""
    if content is None:
        raise InputError("the store has no run to check it by: measure it again with `fresh=True`")
    try:
        run = msgspec.msgpack.decode(_decompressed(content), type=Order).run
        flaw = validation.flaw_of_record(record, Record.of(run, record.environment_id))
    except Exception as error:  # classes of problems, of which some are plugins, see any value
        raise InputError(f"the run in the store is broken: {error}") from error
    if flaw:
        raise InputError(f"the run in the store is another one: its record has {flaw}")
    return run


def _decompressed(content: object) -> bytes:
    if not isinstance(content, bytes):
        raise InputError(f"it is of type {type(content).__name__}")
    unpacking = zlib.decompressobj()
    order = unpacking.decompress(content, LARGEST + 1)
    if not unpacking.eof or unpacking.unused_data or len(order) > LARGEST:
        raise InputError("it is damaged")
    return order
