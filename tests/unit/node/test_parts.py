"""Large requests about many things are served in parts and answered as one (S-08)."""

from __future__ import annotations

import random
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from spindle.model.errors import Error, Refusal
from spindle.model.outbox import Outbox
from spindle.node.calls import Call, Connection
from spindle.node.parts import PARTED, SIZE
from spindle.node.router import Router
from spindle.wire.apis import TABLE, Key
from spindle.wire.entities import make, request_class, request_types, response_types
from spindle.wire.framing import LARGE_FRAME, decode_response, encode_message

KEY, VERSION = Key.LIST_OFFSETS, 7
SHAPES = [
    (20_000,), (5, 20_000, 5), (1,) * 5_000, (SIZE,) * 20, (SIZE + 1,) * 20, (2 * SIZE,) * 20,
    (3_000, 0, 3_000), (0,) * 4_000, (499, 1, 500, 501, 9_000, 1, 1),
]  # fmt: skip
"""Partitions of each topic."""


class Teller:
    """A router whose handler answers a partition with its number as its offset."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.told: list[int] = []
        """Partitions and topics of each part that was served."""
        self.refuses = False
        module = SimpleNamespace(on_broker=self.serve, refuse=self.refuse)
        modules = cast(dict[int, ModuleType], {int(KEY): module})
        self.router = Router(modules, "on_broker", None, self.out)
        self.connection = Connection(1, "PLAINTEXT", "here", self.out)

    def serve(self, target: None, call: Call) -> None:
        topics = list(call.body.topics)
        self.told.append(sum(1 + len(topic.partitions) for topic in topics))
        if self.refuses:
            raise Refusal(Error.NOT_LEADER_OR_FOLLOWER)
        call.answer(self.answer(call, topics, Error.NONE))

    def refuse(self, call: Call, error: Error, message: str) -> Any:
        return self.answer(call, list(call.body.topics), error)

    def answer(self, call: Call, topics: list[Any], error: Error) -> Any:
        r = call.reply
        told = tuple(
            make(
                r.ListOffsetsTopicResponse,
                name=topic.name,
                partitions=tuple(
                    make(
                        r.ListOffsetsPartitionResponse,
                        partition_index=p.partition_index,
                        offset=p.partition_index,
                        error_code=error,
                    )
                    for p in topic.partitions
                ),
            )
            for topic in topics
        )
        return make(r.ListOffsetsResponse, topics=told)

    def ask(self, shape: tuple[int, ...]) -> Any:
        frame = list_offsets(shape, 1)
        assert len(frame) >= LARGE_FRAME
        self.router.on_frame(self.connection, frame)
        while self.out.wake_at is not None:
            self.out.now = self.out.wake_at
            before = len(self.told)
            self.out.tick()
            assert len(self.told) <= before + 1, "one part in a turn"
        ready = self.out.take()
        assert ready is not None
        (answer,) = ready.answers
        data = b"".join(map(bytes, answer.buffers))
        assert int.from_bytes(data[:4], "big") == len(data) - 4
        return decode_response(request_class(KEY, VERSION), data[4:])


def list_offsets(shape: tuple[int, ...], correlation: int) -> bytes:
    """A request's frame: so many partitions of each topic."""
    t = request_types(KEY, VERSION)
    topics = tuple(
        make(
            t.ListOffsetsTopic,
            name=f"topic-{number:08}",
            partitions=tuple(make(t.ListOffsetsPartition, partition_index=p) for p in range(count)),
        )
        for number, count in enumerate(shape)
    )
    return encode_message(make(t.ListOffsetsRequest, topics=topics), correlation, None)


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
def test_parts_are_small_and_their_answers_are_one(shape: tuple[int, ...]) -> None:
    world = Teller()
    answer = world.ask(shape)
    assert [(t.name, [p.offset for p in t.partitions]) for t in answer.topics] == [
        (f"topic-{number:08}", list(range(count))) for number, count in enumerate(shape)
    ]
    assert max(world.told) <= 2 * SIZE + 2
    assert len(world.told) >= (sum(shape) + len(shape)) / (2 * SIZE + 2)


@pytest.mark.spec("S-08")
def test_what_comes_behind_it_waits_for_its_last_part() -> None:
    """As behind every request: a fetch of offsets sees what the commit before it has written."""
    world = Teller()
    world.router.on_frame(world.connection, list_offsets((20_000,), 1))
    world.router.on_frame(world.connection, list_offsets((3,), 2))
    world.router.on_frame(world.connection, list_offsets((4,), 3))
    while world.out.wake_at is not None:
        world.out.now = world.out.wake_at
        world.out.tick()
    assert sum(world.told[:-2]) >= 20_000
    assert world.told[-2:] == [4, 5]


def test_a_refusal_is_the_answer_of_each_part() -> None:
    world = Teller()
    world.refuses = True
    answer = world.ask((20_000,))
    errors = {p.error_code for topic in answer.topics for p in topic.partitions}
    assert errors == {Error.NOT_LEADER_OR_FOLLOWER}
    assert sum(len(topic.partitions) for topic in answer.topics) == 20_000


@pytest.mark.parametrize("key", PARTED)
def test_the_fields_are_those_of_every_version(key: Key) -> None:
    names = PARTED[key]
    first = 4 if key is Key.FIND_COORDINATOR else TABLE[key].readable_from
    for version in range(first, TABLE[key].max + 1):
        for types, outer, inner in (
            (request_types(key, version), names.asked, names.asked_inner),
            (response_types(key, version), names.told, names.told_inner),
        ):
            classes = [c for c in vars(types).values() if hasattr(c, "__dataclass_fields__")]
            assert any(outer in c.__dataclass_fields__ for c in classes)
            assert inner is None or any(inner in c.__dataclass_fields__ for c in classes)
