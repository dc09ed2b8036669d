"""A node that counts the bytes which its own code writes into logs, and into the copies of moves.

Run as a script: the file for both counts, then the words for `spindle`. What the kernel copies is
not counted. Knows the names of copies, `-future`, and nothing else of moves.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from spindle.model.batches import Buffer
from spindle.runtime.os_disk import OsFile

_written = {"logs": 0, "copies": 0}
_write = OsFile.write


def _counted(self: OsFile, offset: int, buffers: Sequence[Buffer]) -> int:
    done = _write(self, offset, buffers)
    path = os.readlink(f"/proc/self/fd/{self.fd}")
    if path.endswith(".log"):
        _written["copies" if "-future/" in path else "logs"] += done
    return done


if __name__ == "__main__":
    count = Path(sys.argv[1])
    OsFile.write = _counted  # type: ignore[method-assign]
    atexit.register(lambda: count.write_text(json.dumps(_written)))
    sys.argv = ["spindle", *sys.argv[2:]]
    runpy.run_module("spindle", run_name="__main__", alter_sys=True)
