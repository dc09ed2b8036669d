"""Bytes <-> values, without sockets. The only door to kio."""

from __future__ import annotations

import sys
from importlib import import_module


def _open_the_door() -> None:
    """Import kio's types without the test library that they register with where it is installed.

    A process that tests nothing would pay for it with a quarter of a second and 10 MB.
    """
    absent = "hypothesis" not in sys.modules
    if absent:
        sys.modules["hypothesis"] = None  # type: ignore[assignment]
    try:
        import_module("kio.static.primitive")
    finally:
        if absent:
            del sys.modules["hypothesis"]


_open_the_door()
