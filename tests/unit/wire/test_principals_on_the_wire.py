"""Principals in Envelopes: the bytes are those that Apache Kafka 4.3's own class has written."""

from __future__ import annotations

import pytest

from spindle.model.errors import Corrupt
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.wire.principals import principal_bytes, principal_in

WRITTEN_BY_KAFKA = [
    (ANONYMOUS, "000005557365720a414e4f4e594d4f55530000"),
    (
        KafkaPrincipal("User", "CN=kafka,O=Größe, C=DE"),
        "0000055573657219434e3d6b61666b612c4f3d4772c3b6c39f652c20433d44450000",
    ),
    (
        KafkaPrincipal("User", "x" * 130, by_token=True),
        "00000555736572" + "8301" + "78" * 130 + "0100",
    ),
]


@pytest.mark.parametrize(("principal", "bytes_"), WRITTEN_BY_KAFKA)
def test_bytes_are_those_of_kafka(principal: KafkaPrincipal, bytes_: str) -> None:
    data = bytes.fromhex(bytes_)
    assert principal_bytes(principal) == data
    read = principal_in(data)
    assert (read, read.by_token) == (principal, principal.by_token)


@pytest.mark.parametrize("data", ["", "00", "0001", "00010555", "0000055573657205414e"])
def test_what_cannot_be_read_is_corrupt(data: str) -> None:
    with pytest.raises(Corrupt):
        principal_in(bytes.fromhex(data))
