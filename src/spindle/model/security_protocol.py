"""How a listener is secured. The words are Kafka's, and so are the numbers in its records."""

from __future__ import annotations

from enum import StrEnum


class SecurityProtocol(StrEnum):
    """How a listener is secured."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"

    @property
    def id(self) -> int:
        """Its number in requests and records (PLAINTEXT 0, SSL 1, SASL_PLAINTEXT 2, SASL_SSL 3)."""
        return list(SecurityProtocol).index(self)

    @property
    def has_tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.value.endswith("SSL")

    @property
    def has_sasl(self) -> bool:
        """Whether a client authenticates by SASL."""
        return self.value.startswith("SASL")
