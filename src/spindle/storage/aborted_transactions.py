"""Aborted transactions of a log: the `.txnindex` of its segments, and what a read needs of it.

A file holds 34 bytes an entry, in the order of the markers that ended the transactions: int16
version 0, producer id, first offset, offset of the marker, last stable offset after it (int64
each). A segment without aborted transactions has none. Called by `segment`, `local_log` and
`segment_recovery`.
Opens nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final

from spindle.model.batches import CONTROL, EndTransactionMarker
from spindle.model.errors import Corrupt
from spindle.model.log_values import AbortedTransaction
from spindle.storage.disk import File
from spindle.storage.scan import Header
from spindle.wire.batch import split
from spindle.wire.control import marker_of

_ENTRY: Final = Struct(">hqqqq")
_VERSION: Final = 0


def encode(entries: Iterable[AbortedTransaction]) -> bytes:
    """A `.txnindex` file's bytes."""
    return b"".join(_ENTRY.pack(_VERSION, *entry) for entry in entries)


def decode(data: bytes) -> list[AbortedTransaction]:
    """Read a file's bytes. Corrupt where they cannot be entries."""
    if len(data) % _ENTRY.size:
        raise Corrupt(f"{len(data)} bytes are not a multiple of {_ENTRY.size}")
    found = []
    for version, *entry in _ENTRY.iter_unpack(data):
        if version > _VERSION:
            raise Corrupt(f"an entry has version {version}; this node knows {_VERSION}")
        found.append(AbortedTransaction(*entry))
    return found


def between(
    segments: Iterable[Sequence[AbortedTransaction]], offset: int, limit: int
) -> tuple[AbortedTransaction, ...]:
    """The aborted transactions with records in [offset, limit).

    `segments`: those of each segment, from that of `offset` on. An entry's stable offset says when
    no later one can matter.
    """
    found = []
    for aborted in segments:
        for entry in aborted:
            if entry.last >= offset and entry.first < limit:
                found.append(entry)
            if entry.stable >= limit:
                return tuple(found)
    return tuple(found)


def read_marker(file: File, header: Header) -> EndTransactionMarker | None:
    """The end of a transaction that the batch under a header may be. OSError, Corrupt."""
    if not header.attributes & CONTROL:
        return None
    data = file.read(header.position, header.size)
    return next((marker_of(batch) for batch in split(data)), None)
