"""SCRAM as Apache Kafka has it: its mechanisms, and what a server keeps of a password (RFC 5802).

Pure arithmetic. Used by the controller, by the server's side of a login and by `storage format`.
"""

from __future__ import annotations

import hashlib
import hmac
from enum import IntEnum
from typing import Final, NamedTuple

ITERATIONS_LEAST: Final = 4096
ITERATIONS_MOST: Final = 16384
"""Apache Kafka's bounds, the same for both mechanisms."""


class ScramMechanism(IntEnum):
    """The mechanisms, by their numbers in requests and records (KIP-554)."""

    SHA_256 = 1
    SHA_512 = 2

    @property
    def title(self) -> str:
        """The name that SASL has for it."""
        return f"SCRAM-{self.digest_name}"

    @property
    def digest_name(self) -> str:
        """The name of its hash function."""
        return self.name.replace("_", "-")

    def hash(self, data: bytes) -> bytes:
        """H of RFC 5802."""
        return hashlib.new(self.digest_name, data).digest()

    def hmac(self, key: bytes, data: bytes) -> bytes:
        """HMAC of RFC 5802."""
        return hmac.digest(key, data, self.digest_name)

    def salted(self, password: str, salt: bytes, iterations: int) -> bytes:
        """SaltedPassword: as dear as the iterations say, so never on a node's event loop."""
        return hashlib.pbkdf2_hmac(self.digest_name, password.encode(), salt, iterations)

    def keys(self, salted: bytes) -> ScramKeys:
        """What a server keeps of a salted password: two HMACs and a hash."""
        client_key = self.hmac(salted, b"Client Key")
        return ScramKeys(self.hash(client_key), self.hmac(salted, b"Server Key"))


class ScramKeys(NamedTuple):
    """StoredKey and ServerKey of RFC 5802."""

    stored: bytes
    server: bytes

    def __repr__(self) -> str:
        return "ScramKeys(hidden)"


SCRAM_BY_NAME: Final = {mechanism.title: mechanism for mechanism in ScramMechanism}


def scram_of(number: int) -> ScramMechanism | None:
    """The mechanism of a number; None where there is none."""
    return ScramMechanism(number) if number in tuple(ScramMechanism) else None
