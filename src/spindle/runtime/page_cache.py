"""What the kernel has of a file in its page cache, found without a read.

A read that must not wait (RWF_NOWAIT) is no way to find out: the kernel begins to bring the page
for it, and on a fast disk the page is there before the read is refused. The look would find what
it has caused, and a whole part of a move would then go through the cache (K113-03).
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import Final

_IN_MEMORY: Final = 1


def is_cached(fd: int, offset: int) -> bool:
    """Whether the page cache has the page of this byte; True where the system does not tell.

    Nothing is read. A place behind the file's end is no reason to go to the disk: True. Raises
    OSError.
    """
    begin = offset - offset % mmap.ALLOCATIONGRANULARITY
    if begin >= os.fstat(fd).st_size:
        return True
    # A copy on write can be looked into from here, and needs no right to write to the file.
    with mmap.mmap(fd, 1, access=mmap.ACCESS_COPY, offset=begin) as page:
        return _in_memory(page)


def _in_memory(page: mmap.mmap) -> bool:
    try:
        mincore = ctypes.CDLL(None, use_errno=True).mincore
    except (OSError, AttributeError):
        return True
    first = ctypes.c_char.from_buffer(page)
    found = ctypes.c_ubyte()
    refused = mincore(
        ctypes.c_void_p(ctypes.addressof(first)), ctypes.c_size_t(1), ctypes.byref(found)
    )
    del first  # The mapping ends only when nothing points into it.
    return bool(refused) or bool(found.value & _IN_MEMORY)
