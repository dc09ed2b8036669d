"""What `ps` and `top` show of a process. Linux; elsewhere nothing happens."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Final

_SET_NAME: Final = 15
"""PR_SET_NAME of prctl(2)."""
_ARGUMENTS: Final = 45
"""Where /proc/self/stat has arg_start and arg_end (fields 48 and 49), behind the name's bracket."""


def set_title(text: str) -> None:
    """Show `text` instead of the command line, as far as it is long enough."""
    if sys.platform != "linux":
        return
    data = text.encode()
    ctypes.CDLL(None).prctl(_SET_NAME, data.replace(b"spindle ", b"")[:15], 0, 0, 0)
    # The kernel reads the command line out of the process's own memory, where its start put it.
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = (int(word) for word in fields[_ARGUMENTS : _ARGUMENTS + 2])
    if end - start > 1:
        ctypes.memmove(start, data[: end - start - 1].ljust(end - start, b"\0"), end - start)
