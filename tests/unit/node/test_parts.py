"""Large requests about many things are served in parts and answered as one (S-08)."""

from __future__ import annotations

import random
from types import ModuleType
from typing import Any

import pytest
from tools.messages.entities import make, request_class, request_types, response_types
from tools.messages.frames import decode_response, encode_message

from spindle.model.errors import Error, Refusal
from spindle.model.outbox import Outbox
from spindle.node.connection import Connection
from spindle.node.parted import BROKER, CONTROLLER
from spindle.node.parts import SIZE, Names, Parted, Parting, names_of
from spindle.node.request_context import (
    LATER,
    NOTHING_SERVED,
    Handler,
    Later,
    Origin,
    RequestContext,
)
from spindle.node.router import Router
from spindle.wire.apis import TABLE, Key
from spindle.wire.codec import Whole
from spindle.wire.framing import LARGE_FRAME, RequestHeader, request_frame, response_in
from spindle.wire.messages.list_offsets_request import ListOffsetsRequest, ListOffsetsTopic
from spindle.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from spindle.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from spindle.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from spindle.wire.messages.produce_response import (
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)

KEY, VERSION = Key.LIST_OFFSETS, 7
SHAPES = [
    (20_000,), (5, 20_000, 5), (1,) * 5_000, (SIZE,) * 20, (SIZE + 1,) * 20, (2 * SIZE,) * 20,
    (3_000, 0, 3_000), (0,) * 4_000, (499, 1, 500, 501, 9_000, 1, 1),
]  # fmt: skip
"""Partitions of each topic."""
UNPARTED = {(Key.FIND_COORDINATOR, version) for version in range(4)}
"""Versions that ask for one thing."""


class Teller:
    """A router whose handler answers a partition with its number as its offset."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.told: list[int] = []
        """Partitions and topics of each part that was served."""
        self.refuses = False
        handlers = {int(KEY): Handler(ListOffsetsRequest, self.serve, self.refuse)}
        self.router: Router[Any] = Router(handlers, None, self.out, BROKER)
        self.connection = Connection(1, "PLAINTEXT", "here", self.out)

    def serve(
        self,
        target: None,
        request: ListOffsetsRequest,
        context: RequestContext[ListOffsetsResponse],
    ) -> ListOffsetsResponse:
        topics = list(request.topics)
        self.told.append(sum(1 + len(topic.partitions) for topic in topics))
        if self.refuses:
            raise Refusal(Error.NOT_LEADER_OR_FOLLOWER)
        return self.answer(topics, Error.NONE)

    def refuse(
        self,
        request: ListOffsetsRequest,
        context: RequestContext[ListOffsetsResponse],
        error: Error,
        message: str,
    ) -> ListOffsetsResponse:
        return self.answer(list(request.topics), error)

    def answer(self, topics: list[ListOffsetsTopic], error: Error) -> ListOffsetsResponse:
        told = tuple(
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=tuple(
                    ListOffsetsPartitionResponse(
                        partition_index=p.partition_index,
                        offset=p.partition_index,
                        error_code=error,
                    )
                    for p in topic.partitions
                ),
            )
            for topic in topics
        )
        return ListOffsetsResponse(topics=told)

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


def fields(types: ModuleType) -> set[str]:
    """The fields of all classes of a module."""
    classes = [c for c in vars(types).values() if hasattr(c, "__dataclass_fields__")]
    return {name for c in classes for name in c.__dataclass_fields__}


@pytest.mark.parametrize(("table", "key"), [(t, k) for t in (BROKER, CONTROLLER) for k in t])
def test_the_fields_are_those_of_every_version(table: Parted[Any], key: Key) -> None:
    used: set[Names[Any]] = set()
    for version in range(TABLE[key].readable_from, TABLE[key].max + 1):
        asked, told = fields(request_types(key, version)), fields(response_types(key, version))
        names = next((n for n in table[key] if n.asked[0] in asked), None)
        if names is None:
            assert (key, version) in UNPARTED
            continue
        assert asked.issuperset(names.asked)
        assert told.issuperset(names.told)
        used.add(names)
    assert used == set(table[key])


NESTED = [
    ((3,), (2, 1), (1,)), ((5_000,),), ((3,) * 2_000,), ((1_000, 1, 2_000), (7,), (499, 501, 1)),
    ((), (1,) * 700, ()), ((1,),) * 3_000,
]  # fmt: skip
"""Partitions of each topic of each group."""


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("shape", NESTED, ids=range(len(NESTED)))
@pytest.mark.parametrize("refused", [None, 1])
def test_arrays_within_arrays_are_parted_too(
    shape: tuple[tuple[int, ...], ...], refused: int | None
) -> None:
    """OffsetFetch, typed. A group that one of its parts is refused for has that error."""
    out, sizes, answers = Outbox(random.Random(1)), list[int](), list[Any]()

    def serve(part: Whole, context: RequestContext[Any]) -> None:
        assert isinstance(part, OffsetFetchRequest)
        groups = part.groups
        sizes.append(
            sum(1 + sum(1 + len(t.partition_indexes) for t in g.topics or ()) for g in groups)
        )
        error = Error.NOT_COORDINATOR if len(sizes) == refused else Error.NONE
        context.answer(
            OffsetFetchResponse(groups=tuple(answer_of(group, error) for group in groups))
        )

    def answer_of(group: OffsetFetchRequestGroup, error: Error) -> OffsetFetchResponseGroup:
        topics = tuple(
            OffsetFetchResponseTopics(
                name=topic.name,
                partitions=tuple(
                    OffsetFetchResponsePartitions(partition_index=n)
                    for n in topic.partition_indexes
                ),
            )
            for topic in group.topics or ()
        )
        return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics, error_code=error)

    header = RequestHeader(Key.OFFSET_FETCH, 8, 1, None)
    body = offsets(shape)
    context: RequestContext[Any] = RequestContext(
        header, b"", 1, Origin("PLAINTEXT", "here"), NOTHING_SERVED, answers.append
    )
    names: Names[Any] | None = names_of(BROKER, Key.OFFSET_FETCH, body)
    assert names is not None
    Parting(out, body, context, names, None, serve).go_on()
    while out.wake_at is not None:
        out.now = out.wake_at
        out.tick()
    data = b"".join(map(bytes, answers.pop()))
    answer = response_in(data[4:], body, 8)
    assert [
        (g.group_id, [(t.name, [p.partition_index for p in t.partitions]) for t in g.topics])
        for g in answer.groups
    ] == [
        (g.group_id, [(t.name, list(t.partition_indexes)) for t in g.topics or ()])
        for g in body.groups
    ]
    assert max(sizes) <= SIZE + 2
    assert (answer.groups[0].error_code is Error.NONE) == (refused is None)


def offsets(shape: tuple[tuple[int, ...], ...]) -> OffsetFetchRequest:
    """A request of groups, with so many partitions of each topic."""
    return OffsetFetchRequest(
        groups=tuple(
            OffsetFetchRequestGroup(
                group_id=f"group-{number}",
                topics=tuple(
                    OffsetFetchRequestTopics(name=f"t-{n}", partition_indexes=tuple(range(count)))
                    for n, count in enumerate(topics)
                ),
            )
            for number, topics in enumerate(shape)
        )
    )


class Acks:
    """A router whose handler answers the parts of a Produce, or answers nothing."""

    def __init__(self, acks: int) -> None:
        self.out = Outbox(random.Random(1))
        self.acks = acks
        self.told: list[tuple[str, int]] = []
        """The partitions in the order in which they were served."""
        self.left: list[tuple[RequestContext[ProduceResponse], ProduceResponse]] = []
        handlers = {int(Key.PRODUCE): Handler(ProduceRequest, self.serve)}
        self.router: Router[Any] = Router(handlers, None, self.out, BROKER)
        self.connection = Connection(1, "PLAINTEXT", "here", self.out)

    def serve(
        self, _: None, request: ProduceRequest, context: RequestContext[ProduceResponse]
    ) -> Later:
        part = tuple(
            TopicProduceResponse(
                name=topic.name,
                partition_responses=tuple(
                    PartitionProduceResponse(index=p.index) for p in topic.partition_data
                ),
            )
            for topic in request.topic_data
        )
        self.told += [(t.name, p.index) for t in part for p in t.partition_responses]
        number = len(self.left)
        nodes = tuple(NodeEndpoint(node_id=n, host="h", port=1) for n in (1, 2 + number % 2))
        self.left.append((context, ProduceResponse(responses=part, node_endpoints=nodes)))
        return LATER

    def run(self) -> None:
        while self.out.wake_at is not None:
            self.out.now = self.out.wake_at
            self.out.tick()

    def settle(self) -> None:
        """All parts are written, the last one first."""
        for context, response in reversed(self.left):
            if self.acks:
                context.answer(response)
            else:
                context.answer_nothing()
        self.run()


def produce(acks: int, count: int, records: bytes = b"") -> tuple[ProduceRequest, bytes]:
    data = tuple(PartitionProduceData(index=n, records=records) for n in range(count))
    topics = (TopicProduceData(name="t", partition_data=data),)
    request = ProduceRequest(acks=acks, topic_data=topics)
    return request, request_frame(request, 12, 1, None)[4:]


@pytest.mark.spec("S-08")
def test_a_produce_to_many_partitions_is_served_in_parts_that_do_not_wait() -> None:
    world, (request, frame) = Acks(1), produce(1, 4_000)
    world.router.on_frame(world.connection, frame)
    assert len(world.told) <= SIZE, "the rest in turns"
    world.router.on_frame(world.connection, produce(1, 1)[1])
    world.run()
    assert world.told == [("t", n) for n in (*range(4_000), 0)], "in order, before what is behind"
    assert world.out.take() is None
    world.settle()
    ready = world.out.take()
    assert ready is not None
    first, second = ready.answers
    data = b"".join(map(bytes, first.buffers))
    answer = response_in(data[4:], request, 12)
    (topic,) = answer.responses
    assert [p.index for p in topic.partition_responses] == list(range(4_000))
    assert sorted(node.node_id for node in answer.node_endpoints) == [1, 2, 3]
    assert second.buffers


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("leaves", [True, False])
def test_all_of_a_produce_is_written_though_no_answer_is_due(leaves: bool) -> None:
    world = Acks(0)
    world.router.on_frame(world.connection, produce(0, 4_000)[1])
    world.settle()
    if leaves:
        world.connection.close()
    world.run()
    assert world.told == [("t", n) for n in range(4_000)]


@pytest.mark.spec("S-08")
def test_a_produce_of_many_bytes_to_few_partitions_is_served_at_once() -> None:
    world = Acks(1)
    world.router.on_frame(world.connection, produce(1, 100, bytes(2 * LARGE_FRAME // 100))[1])
    while len(world.told) < 100 and world.out.wake_at is not None:
        world.out.now = world.out.wake_at
        world.out.tick()
    assert len(world.left) == 1
