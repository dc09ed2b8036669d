"""How the process treats its memory: set once, before the first large buffer.

Record batches come and go in pieces of a megabyte, on several threads. Left alone, glibc keeps an
arena for each thread and learns to hold on to such pieces; a broker then stays twice as large as
what it keeps. And Python's collector need not look again and again at what lives for ever.
"""

from __future__ import annotations

import ctypes
import gc

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
LARGE = 128 << 10
"""Bytes from which on a piece is given back to the system as soon as it is free."""
YOUNG_OBJECTS = 10_000
"""Objects that may be born before the collector looks at the young ones: some milliseconds."""
YOUNG_LOOKS = 5
"""Such looks before it looks at all that were born meanwhile: it holds the loop for that long, so
there must not be too many of them."""


def be_frugal() -> None:
    """Give large pieces back at once, and use one arena. Does nothing where libc is no glibc."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_ARENA_MAX, 1)
    mallopt(_M_MMAP_THRESHOLD, LARGE)
    mallopt(_M_TRIM_THRESHOLD, LARGE)


def settle() -> None:
    """What was made so far lives as long as the process: keep the collector's hands off it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_LOOKS, 50)
