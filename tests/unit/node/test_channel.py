"""Requests to other nodes and to the active controller."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tools.messages.entities import make, response_types
from tools.messages.frames import decode_request, encode_response

from spindle.model.errors import PeerFailed
from spindle.model.outbox import Outbox
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.node.peers import Peers
from spindle.wire.apis import Key
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse


class Leader:
    """A quorum that knows a leader, or none."""

    def __init__(self, endpoint: tuple[str, int] | None) -> None:
        self.endpoint = endpoint
        self.epoch = 1
        self.listeners: list[Callable[[], None]] = []

    def leader_endpoint(self) -> tuple[str, int] | None:
        return self.endpoint

    def change(self, endpoint: tuple[str, int] | None) -> None:
        """Another one leads, or none."""
        self.endpoint = endpoint
        self.epoch += 1
        for told in self.listeners:
            told()


def heartbeat() -> BrokerHeartbeatRequest:
    """Some request."""
    return BrokerHeartbeatRequest(broker_id=7, broker_epoch=3)


def channel(endpoint: tuple[str, int] | None) -> tuple[Outbox, Any, list[Any]]:
    """A channel to a leader there, what asks through it, and what comes back."""
    out = Outbox(random.Random(1))
    quorum: Any = Leader(endpoint)
    return out, NodeToControllerChannel(quorum, Peers(out, "node-7"), out), []


def test_a_request_goes_to_the_leader_and_its_answer_comes_back_decoded() -> None:
    out, controller, came = channel(("there", 9093))
    controller.ask("heartbeat", heartbeat(), 2, came.append, timeout=4)
    ready = out.take()
    assert ready is not None
    (asked,) = ready.frames
    assert (asked.host, asked.port, asked.channel, asked.timeout) == (
        "there",
        9093,
        "heartbeat",
        4,
    )
    request = decode_request(asked.frame[4:])
    assert (request.body.broker_id, request.body.broker_epoch) == (7, 3)
    assert request.header.client_id == "node-7"
    t = response_types(Key.BROKER_HEARTBEAT, 2)
    answer = make(t.BrokerHeartbeatResponse, is_caught_up=True)
    frame = b"".join(bytes(b) for b in encode_response(request.header, answer))
    out.done(asked.ticket, frame[4:])
    assert came == [BrokerHeartbeatResponse(is_caught_up=True)]


def test_without_a_leader_the_request_fails_at_once() -> None:
    out, controller, came = channel(None)
    controller.ask("heartbeat", heartbeat(), 2, came.append)
    assert isinstance(came[0], PeerFailed)
    assert out.take() is None


def test_a_failed_request_comes_back_as_it_failed() -> None:
    out, controller, came = channel(("there", 9093))
    controller.ask("heartbeat", heartbeat(), 2, came.append)
    ready = out.take()
    assert ready is not None
    failure = PeerFailed("refused")
    out.done(ready.frames[0].ticket, failure)
    assert came == [failure]


def test_no_request_waits_for_a_controller_once_another_one_leads() -> None:
    out, controller, came = channel(("there", 9093))
    quorum: Any = controller._quorum
    controller.ask("heartbeat", heartbeat(), 2, came.append)
    controller.ask("replica-states", heartbeat(), 2, came.append)
    ready = out.take()
    assert ready is not None
    for leader in (("there", 9093), None):
        quorum.change(leader)
        out.tick()
        assert came == [], "the same one again, or none yet: its answer may still come"
    quorum.change(("elsewhere", 9094))
    assert came == [], "not in the midst of the change"
    out.tick()
    assert [type(answer) for answer in came] == [PeerFailed] * 2
    # What comes from the old one now is too late.
    out.done(ready.frames[0].ticket, PeerFailed("refused"))
    assert len(came) == 2
    controller.ask("heartbeat", heartbeat(), 2, came.append)
    ready = out.take()
    assert ready is not None
    assert (ready.frames[0].host, ready.frames[0].port) == ("elsewhere", 9094)


def test_an_answer_that_is_none_is_a_failure_that_says_whose() -> None:
    out, controller, came = channel(("there", 9093))
    controller.ask("heartbeat", heartbeat(), 2, came.append)
    ready = out.take()
    assert ready is not None
    out.done(ready.frames[0].ticket, b"\x00\x00\x00\x01\x00\x00")
    assert isinstance(came[0], PeerFailed)
    assert "there:9093" in str(came[0])


def test_whether_the_controller_has_a_private_api_is_asked_once_for_each_term() -> None:
    out, controller, came = channel(("there", 9093))
    quorum: Any = controller._quorum

    def answered(*keys: int) -> None:
        ready = out.take()
        assert ready is not None
        (asked,) = ready.frames
        request = decode_request(asked.frame[4:])
        assert request.body.client_software_name == "spindle"
        t = response_types(Key.API_VERSIONS, 4)
        apis = tuple(make(t.ApiVersion, api_key=key) for key in keys)
        answer = make(t.ApiVersionsResponse, api_keys=apis)
        frame = b"".join(bytes(b) for b in encode_response(request.header, answer))
        out.done(asked.ticket, frame[4:])

    controller.serves(Key.ALTER_REPLICA_STATE, came.append)
    answered(Key.API_VERSIONS, Key.ALTER_REPLICA_STATE)
    controller.serves(Key.ALTER_REPLICA_STATE, came.append)
    assert came == [True, True]
    assert out.take() is None
    quorum.epoch = 2
    controller.serves(Key.ALTER_REPLICA_STATE, came.append)
    answered(Key.API_VERSIONS)
    assert came == [True, True, False]
    quorum.endpoint = None
    controller.serves(Key.ALTER_REPLICA_STATE, came.append)
    assert isinstance(came[-1], PeerFailed)


def test_it_says_when_another_controller_leads_or_the_same_one_leads_again() -> None:
    quorum: Any = Leader(None)
    out = Outbox(random.Random(1))
    controller = NodeToControllerChannel(quorum, Peers(out, "node-7"), out)
    heard: list[tuple[str, int] | None] = []
    controller.on_other_controller = lambda: heard.append(quorum.endpoint)
    quorum.change(("there", 9093))
    for told in quorum.listeners:
        told()
    quorum.change(None)
    quorum.change(("there", 9093))
    quorum.change(("elsewhere", 9093))
    assert heard == [("there", 9093), ("there", 9093), ("elsewhere", 9093)]
