"""How the process treats its memory: set once, before the first large buffer.

Record batches come and go in pieces of a megabyte, on several threads. Left alone, glibc keeps an
arena for each thread and learns to hold on to such pieces; a broker then stays twice as large as
what it keeps. And Python's collector holds the event loop for as long as it looks: it need not look
again and again at what lives for ever (S-08).
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections.abc import Callable
from typing import Final

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
LARGE: Final = 1 << 20
"""Bytes from which on a piece is given back to the system as soon as it is free. Smaller ones are
used again: producers' requests have some hundred kilobytes, and each new page costs a fault."""
SPARE: Final = 8 << 20
"""Bytes that are free at the heap's end until they are given back."""
YOUNG_OBJECTS: Final = 2_000
"""Objects that may be born before the collector looks at the young ones: less than a
millisecond."""
YOUNG_LOOKS: Final = 2
"""After so many such looks it looks at all that were born meanwhile: 6,000, some milliseconds.
On a busy machine 15,000 took 12 to 21 ms."""
NEVER: Final = 1_000_000
"""The collector never looks at the old ones by itself."""
GARBAGE_MAX: Final = 20_000
"""Objects in unreachable circles that it has found until it should look at everything: the code
avoids circles, and where they come up after all, some have died among what was put aside."""
LOOKS_MAX: Final = 15_000
"""After so many looks at the young ones, too: some 90 million objects were born."""
TIDY_SECONDS: Final = 60.0
"""How often it is found whether that is due."""
CALM: Final = 0.3
"""Up to this share of its time a node may be at work while the collector looks at everything."""
WORST: Final = 10
"""With so many times as much garbage it looks however busy the node is."""


def be_frugal() -> None:
    """Give large pieces back at once, and use one arena. Does nothing where libc is no glibc."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(_M_ARENA_MAX, 1)
    mallopt(_M_MMAP_THRESHOLD, LARGE)
    mallopt(_M_TRIM_THRESHOLD, SPARE)


class Keeping:
    """Puts aside what has outlived two of the collector's looks, so that none takes long.

    A partition is seventy objects: a look at those of 4,000 took 0.1 s without service.
    What was put aside is freed like all else once nothing refers to it. Only circles would stay, so
    everything is looked at now and then, when there is little to do. Called by the collector at its
    runs.
    """

    def __init__(
        self, keep: Callable[[], None] = gc.freeze, look_at_all: Callable[[], None] | None = None
    ) -> None:
        """`keep`: puts aside all that lives; `look_at_all`: looks at that, too."""
        self._keep = keep
        self._look_at_all = look_at_all or _look_at_all
        self._garbage = self._looks = 0

    def on_look(self, phase: str, info: dict[str, int]) -> None:
        """The collector begins a look ("start") or has ended it ("stop")."""
        if phase == "stop":
            self._garbage += info["collected"]
            if info["generation"] > 0:
                self._looks += 1
                self._keep()

    def tidy(self, busy: float) -> None:
        """Have everything looked at, where that is due; `busy`: the share of its time in which the
        node has work."""
        due = self._garbage > GARBAGE_MAX or self._looks >= LOOKS_MAX
        if self._garbage > WORST * GARBAGE_MAX or (due and busy <= CALM):
            self._look_at_all()
            self._garbage = self._looks = 0


def _look_at_all() -> None:
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def settle() -> None:
    """What was made so far lives as long as the process: keep the collector's hands off it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, YOUNG_LOOKS, NEVER)
    gc.enable()


def keep_tidy(loop: asyncio.AbstractEventLoop, busy: Callable[[], float]) -> None:
    """From now on keep the collector's hands off all that it has seen to live for a while."""
    keeping = Keeping()
    gc.callbacks.append(keeping.on_look)

    def tidy() -> None:
        keeping.tidy(busy())
        loop.call_later(TIDY_SECONDS, tidy)

    loop.call_later(TIDY_SECONDS, tidy)
