"""Envelopes: a broker hands on a client's request, with its principal and address (KIP-590)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.controller_desk import ControllerDesk
from tests.support.desk import request
from tools.messages.frames import decode_response, encode_message

from spindle.model.errors import Error
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.node.request_context import Origin
from spindle.wire.apis import Key
from spindle.wire.principals import principal_bytes

PRINCIPAL = b"\x00\x00\x05User\x0aANONYMOUS\x00\x00"


def wrapped(inner: bytes, principal: bytes = PRINCIPAL, address: bytes = bytes(4)) -> Any:
    return request(
        Key.ENVELOPE,
        0,
        request_data=inner,
        request_principal=principal,
        client_host_address=address,
    )


def test_an_envelope_carries_the_answer_in_the_clients_version() -> None:
    desk = ControllerDesk()
    desk.start(1)
    inner = request(Key.DELETE_TOPICS, 4, topic_names=("nothing",))
    desk.send(wrapped(encode_message(inner, 77, "client")))
    desk.quorum.commit()
    (answer,) = desk.answers()
    assert answer.error_code == Error.NONE
    data = bytes(answer.response_data)
    assert data[:4] == (77).to_bytes(4, "big")
    told = decode_response(inner, data)
    assert told.responses[0].error_code == Error.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.spec("S-05")
def test_a_request_in_an_envelope_comes_from_the_brokers_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origins: list[Origin] = []
    desk = ControllerDesk()
    monkeypatch.setattr(
        desk.router, "on_forwarded", lambda frame, outer, origin, *rest: origins.append(origin)
    )
    ann = KafkaPrincipal("User", "ann")
    inner = encode_message(request(Key.DELETE_TOPICS, 4, topic_names=()), 77, "client")
    desk.send(wrapped(inner, principal_bytes(ann), bytes((10, 0, 0, 9))))
    assert origins == [Origin("CONTROLLER", "10.0.0.9", principal=ann)]


@pytest.mark.parametrize(
    ("inner", "principal", "error"),
    [
        (b"", PRINCIPAL, Error.UNSUPPORTED_VERSION),
        (b"\x00\x14\x00\x63\x00\x00\x00\x01\xff\xff", PRINCIPAL, Error.UNSUPPORTED_VERSION),
        (b"\x00\x14\x00\x06\x00\x00\x00\x01\xff\xff\x00", PRINCIPAL, Error.UNSUPPORTED_VERSION),
        (b"\x00\x3f\x00\x00\x00\x00\x00\x01\xff\xff\x00", PRINCIPAL, Error.INVALID_REQUEST),
        (b"", b"", Error.PRINCIPAL_DESERIALIZATION_FAILURE),
        (b"", b"\x00\x07" + PRINCIPAL[2:], Error.PRINCIPAL_DESERIALIZATION_FAILURE),
        (b"", PRINCIPAL[:9], Error.PRINCIPAL_DESERIALIZATION_FAILURE),
    ],
)
def test_envelopes_that_are_refused(inner: bytes, principal: bytes, error: Error) -> None:
    desk = ControllerDesk()
    desk.send(wrapped(inner, principal))
    (answer,) = desk.answers()
    assert answer.error_code == error


def test_an_envelope_of_no_client_is_refused() -> None:
    desk = ControllerDesk()
    desk.send(wrapped(b"", address=b"host"[:3]))
    (answer,) = desk.answers()
    assert answer.error_code == Error.INVALID_REQUEST


def test_an_envelope_tells_when_we_do_not_lead_or_stop_leading() -> None:
    desk = ControllerDesk(active=False)
    inner = encode_message(request(Key.UNREGISTER_BROKER, 0, broker_id=1), 5, None)
    desk.send(wrapped(inner))
    (answer,) = desk.answers()
    assert answer.error_code == Error.NOT_CONTROLLER
    desk.lead()
    desk.start(1)
    desk.send(wrapped(inner))
    assert desk.answers() == []
    desk.resign()
    (answer,) = desk.answers()
    assert answer.error_code == Error.NOT_CONTROLLER
