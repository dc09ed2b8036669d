"""The log of a node in a file of its own, and a new file once that is large.

FILE is written, FILE.1 is the one before, and so on. A line that cannot be written goes
to stderr instead: a full disk of logs ends no node. Called by `server`.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TextIO, cast

from spindle.model.errors import Unusable


class RotatingLogFile(io.TextIOBase):
    """A text file that structlog prints to. `most`: bytes; `kept`: older files that stay."""

    def __init__(self, path: Path, most: int, kept: int) -> None:
        """Unusable where the file cannot be written."""
        self._path = path
        self._most = most
        self._kept = kept
        self._lost = False
        self._in_line = False
        """A line is begun and not ended: `print` writes the end apart."""
        try:
            self._file = self._opened()
        except OSError as error:
            raise Unusable(
                f"--log-file {path}: {error.strerror}; name a file in a folder that this user may"
                " write to"
            ) from None

    def _opened(self) -> io.TextIOWrapper:
        return self._path.open("a", encoding="utf-8", errors="replace")

    def write(self, text: str) -> int:
        """Add text, in a new file where the one that is there has its size."""
        try:
            if self._file.tell() >= self._most and not self._in_line:
                self._rotate()
            self._file.write(text)
            self._file.flush()
            self._lost = False
        except OSError as error:
            if not self._lost:
                sys.stderr.write(f"log file {self._path}: {error.strerror}; lines go here\n")
            self._lost = True
            sys.stderr.write(text)
        self._in_line = not text.endswith("\n")
        return len(text)

    def _rotate(self) -> None:
        self._file.close()
        try:
            for number in range(self._kept - 1, 0, -1):
                older = self._numbered(number)
                if older.exists():
                    older.replace(self._numbered(number + 1))
            if self._kept:
                self._path.replace(self._numbered(1))
            else:
                os.truncate(self._path, 0)
        finally:
            self._file = self._opened()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def open_log_file(path: Path, most: int, kept: int) -> TextIO:
    """A `RotatingLogFile`, which has what a log needs of a text file. Unusable as it."""
    return cast("TextIO", RotatingLogFile(path, most, kept))
