"""How much of the time a move copies while clients are served: it gives way, and still ends (B-10).

Pure. While records are written or read, a move rests for most of the time, so that those who wait
for an answer find the disks and processors free. Where more is appended than it copies like this,
it rests less, until what is left shrinks again. The node's moves ask before each piece.
"""

from __future__ import annotations

from typing import Final

GAIN_LEAST: Final = 0.25
"""Of the bytes that are copied; if what is left shrinks by less, the move has to rest less."""
GAIN_MUCH: Final = 0.5
"""If it shrinks by more, the move may rest more: half as fast, it still loses nothing."""


class Yielding:
    """Of one move."""

    def __init__(self) -> None:
        self._raised = 1.0
        """How many times more than asked it copies."""
        self._left: int | None = None

    def share(self, asked: float, serving: bool) -> float:
        """The share of its time that the next piece may take. `serving`: clients are served."""
        self._raised = min(self._raised, 1 / asked)
        return asked * self._raised if serving else 1.0

    def on_copied(self, copied: int, left: int) -> None:
        """A piece is copied, and so many bytes are left: with what was appended meanwhile."""
        before, self._left = self._left, left
        if before is None or not copied:
            return
        gained = before - left
        if gained < copied * GAIN_LEAST:
            self._raised *= 2
        elif gained > copied * GAIN_MUCH:
            self._raised = max(self._raised / 2, 1.0)
