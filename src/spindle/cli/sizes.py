"""Sizes of disks as options have them: "4T", "4TiB", "500G", "1048576". Called by `balance`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from spindle.model.errors import Unusable

_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
_SIZE: Final = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>[KMGTP]?)(?:i?B)?", re.IGNORECASE)
_PLACE: Final = re.compile(r"(?P<place>\d+:/.*)=(?P<size>[^=]+)")


def size_of(text: str) -> int | None:
    """Bytes, in units of 1024; None where the text is no size."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    return int(float(found["number"]) * _UNITS[found["unit"].upper()])


def capacities(given: Iterable[str]) -> dict[str, int]:
    """Bytes by BROKER:PATH, from BROKER:PATH=SIZE, BROKER:PATH=MOUNT, or files with such lines.

    A mount is a path of this machine: the file system there tells its size.
    """
    found: dict[str, int] = {}
    for text in given:
        lines = [text] if "=" in text else list(_lines(Path(text)))
        for line in lines:
            parts = _PLACE.fullmatch(line)
            if parts is None:
                raise Unusable(
                    f"--capacity {line!r}: write BROKER:PATH=SIZE, e.g. 1:/disk1/kafka=4TiB, "
                    "BROKER:PATH=MOUNT with a path of this machine, or a file with such lines"
                )
            place, size = parts["place"], parts["size"].strip()
            found[place] = _mounted(place, size) if size.startswith("/") else _size(line, size)
    return found


def _size(line: str, text: str) -> int:
    size = size_of(text)
    if not size:
        raise Unusable(f"--capacity {line!r}: {text!r} is no size; write e.g. 4TiB or 500G")
    return size


def _mounted(place: str, path: str) -> int:
    try:
        told = os.statvfs(path)
    except OSError as error:
        raise Unusable(f"--capacity {place}={path}: {path}: {error.strerror}") from None
    return told.f_blocks * told.f_frsize


def _lines(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Unusable(
            f"--capacity {path}: {why}; give BROKER:PATH=SIZE, or a file with such lines"
        ) from None
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()
