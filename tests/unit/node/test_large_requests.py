"""A large request is read in turns with others, in the order of its connection (S-08)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tools.messages.entities import make, request_types
from tools.messages.frames import encode_message

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.outbox import Outbox
from spindle.node.connection import Connection
from spindle.node.handlers import CONTROLLER
from spindle.node.request_context import (
    LATER,
    NOTHING_SERVED,
    Handler,
    Later,
    Origin,
    RequestContext,
    Serving,
)
from spindle.node.router import Router, decoded
from spindle.wire.apis import Key
from spindle.wire.framing import RequestHeader
from spindle.wire.messages.envelope_response import EnvelopeResponse
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.metadata_response import MetadataResponse

NAMES = 50_000


class Counter:
    """A router whose handlers note what comes, each name of a topic included."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.served: list[tuple[int, int, int]] = []
        """Connection, correlation, topics."""
        self.handlers: dict[int, Serving[Any]] = {
            Key.METADATA: Handler(MetadataRequest, self.serve),
            Key.ENVELOPE: CONTROLLER[Key.ENVELOPE],
        }
        self.router = Router(self.handlers, None, self.out)

    def serve(
        self, target: Any, request: MetadataRequest, context: RequestContext[MetadataResponse]
    ) -> Later:
        topics = len({topic.name for topic in request.topics or ()})
        self.served.append((context.connection, context.header.correlation, topics))
        context.answer_nothing()
        return LATER

    def connection(self, number: int) -> Connection:
        return Connection(number, "PLAINTEXT", "here", self.out)

    def turn(self) -> bool:
        """One more turn of the loop, if something is to be done."""
        if self.out.wake_at is None:
            return False
        self.out.now = self.out.wake_at
        self.out.tick()
        return True


def frame(correlation: int, names: int) -> bytes:
    t = request_types(Key.METADATA, 12)
    topics = tuple(make(t.MetadataRequestTopic, name=f"t-{n}") for n in range(names))
    return encode_message(make(t.MetadataRequest, topics=topics), correlation, "a client")


@pytest.mark.spec("S-08")
def test_others_are_served_while_a_large_request_is_read() -> None:
    world = Counter()
    large, other = world.connection(1), world.connection(2)
    sent = frame(7, NAMES)
    world.router.on_frame(large, sent)
    served = 0
    while (1, 7, NAMES) not in world.served:
        world.router.on_frame(other, frame(served, 1))
        served += 1
        assert world.served[-1] == (2, served - 1, 1), "at once"
        assert world.turn()
    assert served >= len(sent) / 20_000
    assert not world.turn()


@pytest.mark.spec("S-08")
def test_what_comes_behind_it_waits_for_it() -> None:
    world = Counter()
    connection = world.connection(1)
    for correlation, names in enumerate((1, NAMES, 2, 5_000, 3)):
        world.router.on_frame(connection, frame(correlation, names))
    assert world.served == [(1, 0, 1)]
    while world.turn():
        pass
    assert world.served == [(1, 0, 1), (1, 1, NAMES), (1, 2, 2), (1, 3, 5_000), (1, 4, 3)]


def test_one_whose_client_has_gone_is_read_no_further() -> None:
    world = Counter()
    connection = world.connection(1)
    world.router.on_frame(connection, frame(1, NAMES))
    assert world.turn()
    connection.close()
    assert world.turn()
    assert not world.turn()
    assert not world.served


def test_broken_bytes_end_the_connection_as_they_do_in_a_small_one() -> None:
    world = Counter()
    connection = world.connection(1)
    broken = frame(1, NAMES)[:-1]
    with pytest.raises(Corrupt) as why:
        decoded(world.handlers, broken)
    world.router.on_frame(connection, broken)
    world.router.on_frame(connection, frame(2, 1))
    while world.turn():
        pass
    world.router.on_frame(connection, frame(3, 1))
    ready = world.out.take()
    assert ready is not None
    assert (ready.closes, ready.answers, world.served) == ([1], [], [])
    assert ready.log_lines[0].fields["reason"] == str(why.value)


@pytest.mark.spec("S-08")
def test_one_that_was_forwarded_is_read_in_turns_too() -> None:
    world = Counter()
    answers: list[list[Buffer]] = []
    header = RequestHeader(Key.ENVELOPE, 0, 1, None)

    def forwarded(data: bytes) -> None:
        outer: RequestContext[Any] = RequestContext(
            header, b"", 9, Origin("CONTROLLER", "here"), NOTHING_SERVED, answers.append
        )
        world.router.on_forwarded(
            data,
            outer,
            Origin("PLAINTEXT", "client"),
            answers.append,
            lambda error, _: outer.answer(EnvelopeResponse(error_code=error)),
        )

    forwarded(frame(1, NAMES))
    turns = 0
    while not world.served:
        assert world.turn()
        turns += 1
    assert (world.served, answers) == ([(9, 1, NAMES)], [[]])
    assert turns >= NAMES / 2_000
    forwarded(frame(1, NAMES)[:-1])
    while world.turn():
        pass
    (refused,) = answers[1:]
    assert b"".join(map(bytes, refused)).endswith(
        Error.UNSUPPORTED_VERSION.to_bytes(2, "big") + b"\0"
    )
    with pytest.raises(Refusal):
        forwarded(b"\xff\xff" + frame(1, NAMES)[2:])
