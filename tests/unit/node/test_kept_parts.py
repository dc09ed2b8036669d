"""Parts of large answers are encoded once, and again when anything that they tell has changed."""

from __future__ import annotations

import random
import uuid
from dataclasses import replace
from typing import Any

import pytest
from tests.support.cluster_image import (
    add_broker,
    add_topic,
    lose_directory,
    three_brokers,
    topic_id,
)
from tests.unit.node.test_gate import ALICE, ROOT, Guarded, may
from tests.unit.node.test_slices import Bench, joined, metadata_request

from spindle.model import metadata_records as r
from spindle.model.acl import AclOperation
from spindle.model.acl_table import AclTable
from spindle.model.ids import Endpoint
from spindle.model.image import ClusterImage
from spindle.model.settings.typed_settings import Settings
from spindle.node import kept_parts
from spindle.node.handlers import metadata
from spindle.node.kept_parts import EncodedPart, KeptParts, put_parts
from spindle.node.topology import Listening
from spindle.wire.apis import Key
from spindle.wire.codec import put_all
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.metadata_response import MetadataResponseTopic

TOPICS = 30


def cluster() -> ClusterImage:
    image = three_brokers()
    for number in range(TOPICS):
        add_topic(image, f"t-{number}", (1, 2), (2, 3))
    return image


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The partitions that were described."""
    seen: list[Any] = []
    before = metadata._partition

    def counted(version: int, listening: Any, partition: Any) -> Any:
        seen.append(partition)
        return before(version, listening, partition)

    monkeypatch.setattr(metadata, "_partition", counted)
    return seen


class Asked:
    """Metadata of all topics, before and after a change."""

    def __init__(self, image: ClusterImage) -> None:
        self.image = image
        self.bench = Bench(Key.METADATA, image=image, settings=Settings({"node.id": "1"}))
        self.topics()

    def topics(self) -> dict[str, Any]:
        return {topic.name: topic for topic in self.bench.ask(metadata_request()).topics}


def change(partition: int, name: str, **fields: Any) -> r.PartitionChange:
    return r.PartitionChange(partition_id=partition, topic_id=topic_id(name), **fields)


@pytest.mark.spec("S-08")
def test_a_change_of_a_topic_costs_that_topic(made: list[Any]) -> None:
    asked = Asked(cluster())
    assert len(made) == 2 * TOPICS
    asked.image.apply(change(1, "t-7", leader=3, isr=(3,)))
    told = asked.topics()["t-7"].partitions[1]
    assert (told.leader_id, told.leader_epoch, list(told.isr_nodes)) == (3, 4, [3])
    assert len(made) == 2 * TOPICS + 2


@pytest.mark.spec("S-08")
def test_topics_come_grow_and_go() -> None:
    asked = Asked(cluster())
    image = asked.image
    add_topic(image, "new", (1,))
    old = image.topics[topic_id("t-3")].partitions[0]
    image.apply(replace(old, partition_id=2))
    image.apply(r.RemoveTopic(topic_id=topic_id("t-4")))
    topics = asked.topics()
    assert "new" in topics
    assert "t-4" not in topics
    assert [p.partition_index for p in topics["t-3"].partitions] == [0, 1, 2]


def test_a_topic_that_is_made_again_is_another() -> None:
    asked = Asked(cluster())
    asked.image.apply(r.RemoveTopic(topic_id=topic_id("t-4")))
    id = uuid.UUID(int=4711)
    asked.image.apply(r.Topic(name="t-4", topic_id=id))
    asked.image.apply(
        r.PartitionRegistration(
            partition_id=0, topic_id=id, replicas=(3,), isr=(3,), leader=3, leader_epoch=0,
            partition_epoch=0,
        )
    )  # fmt: skip
    told = asked.topics()["t-4"]
    assert told.topic_id == id
    assert [p.leader_id for p in told.partitions] == [3]


@pytest.mark.parametrize("what", ["fenced", "gone", "directory"])
def test_what_becomes_of_a_broker_is_seen_at_its_partitions(what: str) -> None:
    asked = Asked(cluster())
    if what == "fenced":
        add_broker(asked.image, 2, fenced=True)
    elif what == "gone":
        asked.image.apply(r.UnregisterBroker(broker_id=2, broker_epoch=20))
    else:
        lose_directory(asked.image, 2, 0)
    for topic in asked.topics().values():
        assert [list(p.offline_replicas) for p in topic.partitions] == [[2], [2]]


def test_each_listener_has_its_own_and_sees_its_changes() -> None:
    image = cluster()
    asked = Asked(image)
    asked.topics()
    inside = Endpoint("INSIDE", "inside2", 8002)
    image.apply(replace(image.brokers[2], endpoints=(inside,)))
    (*_, last) = asked.topics().values()
    assert [p.leader_id for p in last.partitions] == [1, -1], "2 is not reached here any more"
    answer = asked.bench.ask(metadata_request())
    assert [b.node_id for b in answer.brokers] == [1, 3]


def test_a_change_of_an_endpoint_is_in_the_next_answer() -> None:
    asked = Asked(cluster())
    moved = Endpoint("PLAINTEXT", "elsewhere", 1)
    asked.image.apply(replace(asked.image.brokers[2], endpoints=(moved,)))
    answer = asked.bench.ask(metadata_request())
    assert [(b.host, b.port) for b in answer.brokers if b.node_id == 2] == [("elsewhere", 1)]


@pytest.mark.spec("S-05")
def test_a_change_of_an_acl_is_in_the_next_answer() -> None:
    image = cluster()
    desk = Guarded([], image=image, topic_creation=None)
    desk.table = image.acls
    every = MetadataRequest(topics=None, include_topic_authorized_operations=True)
    assert len(desk.ask(ROOT, every, 12).topics) == TOPICS
    assert desk.ask(ALICE, every, 12).topics == ()
    id = uuid.UUID(int=1)
    image.apply(r.AccessControlEntry.of(id, may(ALICE, AclOperation.READ, "t-1")))
    seen = {t.name: t.topic_authorized_operations for t in desk.ask(ALICE, every, 12).topics}
    bits = 1 << AclOperation.READ | 1 << AclOperation.DESCRIBE
    assert seen == {"t-1": bits} | {f"t-{n}": bits for n in range(10, 20)}
    (all_of_root, *_) = {t.topic_authorized_operations for t in desk.ask(ROOT, every, 12).topics}
    assert all_of_root != bits
    image.apply(r.RemoveAccessControlEntry(id=id))
    assert desk.ask(ALICE, every, 12).topics == ()


def test_pages_of_partitions_follow_changes() -> None:
    image = cluster()
    bench = Bench(Key.DESCRIBE_TOPIC_PARTITIONS, image=image)
    request = DescribeTopicPartitionsRequest(topics=(), response_partition_limit=5, cursor=None)
    first = ask(bench, request, 0)
    assert ask(bench, request, 0) == first
    assert (first.next_cursor.topic_name, first.next_cursor.partition_index) == ("t-10", 1)
    image.apply(change(0, "t-1", leader=2))
    leaders = [[p.leader_id for p in topic.partitions] for topic in ask(bench, request, 0).topics]
    assert leaders == [[1, 2], [2, 2], [1]]


def ask(bench: Bench, request: Any, version: int) -> Any:
    return response_in(frame_of(bench, request, version)[4:], request, version)


def frame_of(bench: Bench, request: Any, version: int) -> bytes:
    bench.router.on_frame(bench.connection, request_frame(request, version, 1, None)[4:])
    return joined(bench.until(bench.out.take).answers[0].buffers)


def random_record(rng: random.Random, image: ClusterImage) -> r.MetadataRecord:
    broker = rng.choice((1, 2, 3))
    state = image.brokers[broker]
    kind = rng.randrange(5)
    if kind == 0:
        return replace(state, fenced=not state.fenced)
    if kind == 1:
        return replace(state, log_dirs=rng.choice((state.log_dirs[:1], (uuid.UUID(int=999),))))
    topic = rng.choice([topic for topic in image.topics.values() if topic.partitions])
    isr = tuple(rng.sample((1, 2, 3), rng.randint(1, 3)))
    index = rng.choice(list(topic.partitions))
    return r.PartitionChange(
        partition_id=index, topic_id=topic.topic_id, isr=isr, leader=rng.choice((-1, *isr)),
        elr=isr[1:],
    )  # fmt: skip


def plain(image: ClusterImage, version: int) -> bytes:
    """All topics as Metadata tells of them, encoded from objects."""
    seen = Listening(image, "PLAINTEXT")
    topics = [
        MetadataResponseTopic(
            name=state.name,
            topic_id=state.topic_id,
            partitions=tuple(
                metadata._partition(version, seen, each) for each in state.partitions.values()
            ),
        )
        for state in image.topics.values()
    ]
    return put_all(topics, version)


@pytest.mark.parametrize("version", range(14))
def test_the_bytes_are_those_of_an_encoder_that_keeps_nothing(version: int) -> None:
    rng = random.Random(version)
    image = cluster()
    add_topic(image, "large", *[(1, 2, 3)] * 250)
    add_topic(image, "nothing")
    bench = Bench(Key.METADATA, image=image, settings=Settings({"node.id": "1"}))
    everything = MetadataRequest(topics=() if version == 0 else None)
    for _ in range(40):
        for _ in range(rng.randrange(3)):
            image.apply(random_record(rng, image))
        frame = frame_of(bench, everything, version)
        assert plain(image, version) in frame


# --- what is kept -------------------------------------------------------------------------------


def part(raw: bytes) -> EncodedPart:
    return EncodedPart(MetadataResponseTopic(name="t"), raw)


def test_a_part_is_found_while_it_is_made_of_the_same_objects() -> None:
    one, other = AclTable(), AclTable()
    parts = KeptParts().of("kind", 1)
    parts.put("name", [one], part(b"x"))
    assert parts.find("name", [one]) == part(b"x")
    for made_of in ([other], [one, one], []):
        assert parts.find("name", made_of) is None
    assert parts.find("another", [one]) is None


def test_parts_rest_on_a_basis() -> None:
    kept = KeptParts()
    kept.of("kind", 1).put("name", (), part(b"x"))
    assert kept.of("kind", 1).find("name", ()) is not None
    assert kept.of("another", 1).find("name", ()) is None
    assert kept.of("kind", 2).find("name", ()) is None
    assert kept.of("kind", 1).find("name", ()) is None


def test_room_is_made_where_nothing_was_asked_for_lately(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_parts, "PARTS_MAX", 2_000)
    kept = KeptParts()
    old = kept.of("old", 1)
    old.put("name", (), part(bytes(600)))
    new = kept.of("new", 1)
    new.put("name", (), part(bytes(200)))
    new.put("name", (), part(bytes(200)))
    assert old.find("name", ()) is not None, "what takes the place of another takes no more room"
    new.put("more", (), part(bytes(200)))
    assert old.find("name", ()) is None
    assert new.find("more", ()) is not None
    new.put("too much", (), part(bytes(2_000)))
    assert new.find("more", ()) is None
    assert new.size == 0


def test_parts_that_are_bytes_stand_among_others_in_their_order() -> None:
    topics = [MetadataResponseTopic(name=f"t-{n}") for n in range(6)]
    mixed = [
        EncodedPart(topic, put_all((topic,), 12)) if n in (1, 2, 5) else topic
        for n, topic in enumerate(topics)
    ]
    assert put_parts(mixed, 12) == put_all(topics, 12)
    assert put_parts((), 12) == b""
