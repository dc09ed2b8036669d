"""Admin requests on the broker's listener: into the envelope and out of it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.broker_context import context
from tests.support.controller_desk import ControllerDesk
from tests.support.desk import Desk, request
from tools.messages.entities import make, ms, response_types

from spindle.model.errors import Error, PeerFailed
from spindle.node import forwarding
from spindle.node.forwarding import Forwarding
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.wire.apis import FORWARDABLE, Key

FORWARDED = FORWARDABLE & BROKER.keys()


class BrokerDesk(Desk):
    """A broker's admin handlers, whose controller is in the test's hand."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Callable[[Any], None], float]] = []
        ground = context(ask=self._ask)
        self.metadata = ground.metadata
        broker = SimpleNamespace(forwarding=Forwarding(ground))
        super().__init__(BROKER, broker, ground.out)

    def _ask(
        self, channel: str, entity: Any, version: int, then: Callable[[Any], None], timeout: float
    ) -> None:
        assert channel == "forwarding"
        self.asked.append((entity, then, timeout))

    def pass_time(self, seconds: float) -> None:
        self.out.now += seconds
        self.out.tick()


def sealed(error: Error, data: bytes | None = None, offset: int = -1) -> Any:
    return make(
        response_types(Key.ENVELOPE, 0).EnvelopeResponse,
        response_data=data,
        error_code=error,
        metadata_offset=offset,
    )


def test_every_admin_api_has_both_sides() -> None:
    expected = {19, 20, 30, 31, 33, 37, 38, 39, 40, 43, 44, 45, 46, 49, 51, 55, 57, 64, 80, 81}
    assert set(FORWARDED) == expected
    assert all(BROKER[key].refuses and CONTROLLER[key].refuses for key in FORWARDED)


def test_the_controllers_answer_reaches_the_client_untouched() -> None:
    desk, controller = BrokerDesk(), ControllerDesk()
    controller.start(1)
    desk.send(request(Key.DELETE_TOPICS, 3, topic_names=("nothing",), timeout=ms(5000)))
    ((envelope, then, timeout),) = desk.asked
    assert timeout == 5.0
    assert envelope.request_principal == b"\x00\x00\x05User\x0aANONYMOUS\x00\x00"
    assert envelope.client_host_address == b"\x7f\x00\x00\x01"
    controller.send(envelope)
    then(controller.answers()[0])
    desk.metadata.on_committed(0, controller.controller.image.offset, 1, ())
    desk.metadata.publish()
    desk.pass_time(forwarding.CATCH_UP_CHECK)
    (answer,) = desk.answers()
    assert answer.responses[0].error_code == Error.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.spec("S-05")
def test_the_controller_says_where_the_change_is() -> None:
    desk, controller = BrokerDesk(), ControllerDesk()
    controller.start(1)
    desk.send(request(Key.DELETE_TOPICS, 3, topic_names=("nothing",), timeout=ms(5000)))
    controller.send(desk.asked[0][0])
    (answer,) = controller.answers()
    assert answer.metadata_offset == controller.controller.image.offset >= 0


@pytest.mark.spec("S-05")
def test_a_client_is_answered_once_its_broker_acts_on_the_change() -> None:
    desk, controller = BrokerDesk(), ControllerDesk()
    controller.start(1)
    desk.send(request(Key.DELETE_TOPICS, 3, topic_names=("nothing",), timeout=ms(5000)))
    controller.send(desk.asked[0][0])
    (answer,) = controller.answers()
    told = bytes(answer.response_data)
    desk.asked[0][1](sealed(Error.NONE, told, offset=8))
    desk.pass_time(0.1)
    desk.metadata.on_committed(0, 7, 1, ())
    desk.metadata.publish()
    desk.pass_time(0.1)
    assert desk.answers() == [], "the broker is still behind"
    desk.metadata.on_committed(8, 8, 1, ())
    desk.metadata.publish()
    desk.pass_time(forwarding.CATCH_UP_CHECK)
    assert len(desk.answers()) == 1


def test_a_broker_that_stays_behind_delays_the_answer_by_so_much_alone() -> None:
    desk, controller = BrokerDesk(), ControllerDesk()
    controller.start(1)
    desk.send(request(Key.DELETE_TOPICS, 3, topic_names=("nothing",), timeout=ms(5000)))
    controller.send(desk.asked[0][0])
    (answer,) = controller.answers()
    desk.asked[0][1](sealed(Error.NONE, bytes(answer.response_data), offset=10**9))
    desk.pass_time(forwarding.CATCH_UP_MAX - 0.01)
    assert desk.answers() == []
    desk.pass_time(0.02)
    assert len(desk.answers()) == 1


@pytest.mark.parametrize("reply", [sealed(Error.NOT_CONTROLLER), PeerFailed("gone")])
def test_another_controller_is_asked_until_time_is_over(reply: Any) -> None:
    desk = BrokerDesk()
    desk.send(request(Key.DELETE_TOPICS, 6, topics=(), timeout=ms(250)))
    for tries in (1, 2, 3):
        assert len(desk.asked) == tries
        assert desk.answers() == []
        desk.asked[-1][1](reply)
        desk.pass_time(forwarding.RETRY_DELAY)
    assert len(desk.asked) == 3
    assert len(desk.answers()) == 1


def test_a_client_learns_that_no_broker_answered() -> None:
    desk = BrokerDesk()
    desk.send(request(Key.UNREGISTER_BROKER, 0, broker_id=1))
    desk.pass_time(29.95)
    desk.asked[0][1](PeerFailed("gone"))
    (answer,) = desk.answers()
    assert answer.error_code == Error.REQUEST_TIMED_OUT
    assert answer.error_message.startswith("no active controller answered in time")


def test_the_controller_that_gave_no_answer_is_named_with_the_way_out() -> None:
    words = forwarding._unanswered("node 100 (host:9093)")
    assert "the last one known is node 100 (host:9093)" in words
    assert "continue or restart it" in words
    assert "a majority of the controllers must run" in forwarding._unanswered("")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Error.UNSUPPORTED_VERSION, Error.UNSUPPORTED_VERSION),
        (Error.PRINCIPAL_DESERIALIZATION_FAILURE, Error.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_refused_envelope_is_reported(error: Error, told: Error) -> None:
    desk = BrokerDesk()
    desk.send(request(Key.UNREGISTER_BROKER, 0, broker_id=1))
    desk.asked[0][1](sealed(error))
    (answer,) = desk.answers()
    assert answer.error_code == told


def test_only_so_many_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarding, "IN_FLIGHT_MAX", 1)
    desk = BrokerDesk()
    one = request(Key.UNREGISTER_BROKER, 0, broker_id=1)
    desk.send(one)
    desk.send(one)
    desk.asked[0][1](sealed(Error.UNSUPPORTED_VERSION))
    assert [a.error_code for a in desk.answers()] == [
        Error.UNSUPPORTED_VERSION,
        Error.REQUEST_TIMED_OUT,
    ]
    desk.send(one)
    assert len(desk.asked) == 2


def test_a_clients_name_is_no_address() -> None:
    assert forwarding._address_bytes("broker-1") == bytes(4)
    assert forwarding._address_bytes("::1") == bytes(15) + b"\x01"
