"""Principals and security protocols, as Kafka's words and numbers have them."""

from __future__ import annotations

import pytest

from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import Unusable
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.security_protocol import SecurityProtocol


def test_a_principal_is_written_and_read_as_kafka_does() -> None:
    assert str(ANONYMOUS) == "User:ANONYMOUS"
    for text in ("User:alice", "Group:a:b", "User:CN=a, O=b:c", "User:"):
        assert str(KafkaPrincipal.parse(text)) == text


@pytest.mark.parametrize("text", ["", "alice", ":alice"])
def test_what_is_no_principal_is_refused(text: str) -> None:
    with pytest.raises(Unusable, match="principalType:principalName"):
        KafkaPrincipal.parse(text)


def test_a_token_makes_no_other_principal() -> None:
    assert KafkaPrincipal("User", "a", by_token=True) == KafkaPrincipal("User", "a")
    assert not KafkaPrincipal("User", "a").is_anonymous


def test_protocols_have_kafkas_numbers() -> None:
    assert [(p.id, p.has_tls, p.has_sasl) for p in SecurityProtocol] == [
        (0, False, False),
        (1, True, False),
        (2, False, True),
        (3, True, True),
    ]


def test_a_node_knows_how_its_listeners_are_secured() -> None:
    config: NodeConfig = node_config(
        {
            "node.id": "1",
            "process.roles": "broker",
            "listeners": "INSIDE://:9092",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.quorum.voters": "9@c:9093",
            "log.dirs": "/d",
        }
    )
    assert config.protocol_of("INSIDE") is SecurityProtocol.PLAINTEXT
