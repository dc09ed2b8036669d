"""The sender of a request: a principal, as Kafka's authorizer and its tools write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from spindle.model.errors import Unusable

USER: Final = "User"
"""The kind of all principals that a connection can have."""


@dataclass(frozen=True, slots=True)
class KafkaPrincipal:
    """A kind and a name, written `User:alice`."""

    kind: str
    name: str
    by_token: bool = field(default=False, compare=False)
    """It has authenticated with a delegation token (KIP-48)."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @property
    def is_anonymous(self) -> bool:
        """Whether it is that of connections without authentication."""
        return self == ANONYMOUS

    @classmethod
    def parse(cls, text: str) -> KafkaPrincipal:
        """`User:alice` as a principal; Unusable where it is not of this form.

        The name may contain colons, as a distinguished name does.
        """
        kind, colon, name = text.partition(":")
        if not colon or not kind:
            raise Unusable(
                f"expected a string in format principalType:principalName but got {text}"
            )
        return cls(kind, name)


ANONYMOUS: Final = KafkaPrincipal(USER, "ANONYMOUS")
"""Of connections without authentication: PLAINTEXT, and SSL without a client's certificate."""
