"""A principal as an Envelope carries it: DefaultPrincipalData behind its version (KIP-590).

As Apache Kafka's DefaultKafkaPrincipalBuilder writes and reads it, so that brokers and controllers
of both kinds understand each other.
"""

from __future__ import annotations

from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.wire.codec import decode, encode
from spindle.wire.messages.default_principal_data import DefaultPrincipalData

_VERSION_BYTES: Final = 2


def principal_bytes(principal: KafkaPrincipal) -> bytes:
    """What stands in the Envelope for a client with this principal."""
    version = DefaultPrincipalData.VERSIONS[-1]
    data = DefaultPrincipalData(
        type_=principal.kind, name=principal.name, token_authenticated=principal.by_token
    )
    return version.to_bytes(_VERSION_BYTES, "big") + encode(data, version)


def principal_in(data: Buffer) -> KafkaPrincipal:
    """The principal that an Envelope carries; Corrupt where it cannot be read."""
    version = int.from_bytes(data[:_VERSION_BYTES], "big")
    if len(data) < _VERSION_BYTES or version not in DefaultPrincipalData.VERSIONS:
        raise Corrupt("a principal of an unknown version")
    read, _ = decode(DefaultPrincipalData, version, data, _VERSION_BYTES)
    return KafkaPrincipal(read.type_, read.name, read.token_authenticated)
