"""A text that no log, error or repr shows (S-03). Held by every value that has a password."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

HIDDEN: Final = "[hidden]"
"""What is shown instead, as Kafka does."""


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A password, key or token. `reveal` gives it to the code that sends it."""

    _text: str

    def reveal(self) -> str:
        """The text itself; for the library that needs it, never for a message."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN
