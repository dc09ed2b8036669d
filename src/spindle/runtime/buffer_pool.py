"""Memory for large reads that is used again, which the kernel then need not clear each time.

A large piece of memory goes back to the system as soon as it is free (`memory.be_frugal`), and each
new one costs a fault for every page that is touched: more than the reading itself. Here a bounded
number of bytes stays. A buffer is lent as a view and is free again when no view of it is left.
Python tells: it resizes no bytearray that a view refers to. Called by `os_disk`, on any thread.
"""

from __future__ import annotations

from threading import Lock
from typing import Final

LENT_LEAST: Final = 128 << 10
"""Bytes of a read from which on it gets a buffer: smaller memory stays with the process anyway."""
LENT_MOST: Final = 16 << 20
"""Bytes of all buffers together. Where all are lent, reads have memory of their own."""
_STEP: Final = 256 << 10


class BufferPool:
    """The buffers of a process."""

    def __init__(self, most: int = LENT_MOST) -> None:
        """`most`: bytes of them all."""
        self._most = most
        self._buffers: list[bytearray] = []
        self._lock = Lock()

    def lend(self, size: int) -> memoryview | None:
        """A view of `size` bytes, whatever they are. None: no buffer is free for so many."""
        with self._lock:
            free = [buffer for buffer in self._buffers if _is_free(buffer)]
            buffer = min((r for r in free if len(r) >= size), key=len, default=None)
            if buffer is None:
                buffer = self._made(-(-size // _STEP) * _STEP, free)
            return None if buffer is None else memoryview(buffer)[:size]

    def _made(self, size: int, free: list[bytearray]) -> bytearray | None:
        spare = self._most - sum(map(len, self._buffers))
        if spare + sum(map(len, free)) < size:
            return None
        for old in sorted(free, key=len):
            if spare >= size:
                break
            self._buffers = [buffer for buffer in self._buffers if buffer is not old]
            spare += len(old)
        buffer = bytearray(size)
        self._buffers.append(buffer)
        return buffer


def _is_free(buffer: bytearray) -> bool:
    try:
        buffer.append(buffer.pop())
    except BufferError:
        return False
    return True
