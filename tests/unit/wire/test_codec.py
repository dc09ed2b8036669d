"""Typed messages as bytes: whole, in pieces, with arrays that are bytes already, and changed."""

from __future__ import annotations

import pytest

from spindle.model.batches import Buffer
from spindle.model.errors import Error, Refusal
from spindle.wire.codec import LARGE, Packed, changed, encode, encode_into, in_pieces, put_all
from spindle.wire.messages.fetch_response import (
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)
from spindle.wire.messages.metadata_request import MetadataRequestTopic
from spindle.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

VERSION = 12
TOPICS = [
    MetadataResponseTopic(
        name=f"topic-{n}",
        partitions=[MetadataResponsePartition(partition_index=p) for p in range(n)],
    )
    for n in range(4)
]


def fetched(*records: bytes) -> FetchResponse:
    parts = [PartitionData(partition_index=n, records=some) for n, some in enumerate(records)]
    return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=parts)])


def test_large_pieces_are_handed_on_and_small_ones_are_joined() -> None:
    large = bytes(LARGE)
    answer = fetched(b"small", large, b"more")
    pieces = in_pieces(answer, VERSION)
    assert b"".join(pieces) == encode(answer, VERSION)
    assert (len(pieces), pieces[1] is large) == (3, True)
    appended: list[Buffer] = [b"head"]
    encode_into(answer, VERSION, appended)
    assert appended == [b"head", *pieces]


def test_a_message_without_records_is_one_piece() -> None:
    answer = MetadataResponse(topics=[MetadataResponseTopic(name="x" * LARGE)] * 2)
    pieces: list[Buffer] = []
    encode_into(answer, VERSION, pieces)
    assert pieces == [encode(answer, VERSION)]


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("version", [1, VERSION])
def test_a_packed_array_is_written_as_its_elements_are(version: int) -> None:
    packed = Packed()
    packed.add(3, put_all(TOPICS[:3], version))
    inner = Packed()
    inner.add(3, put_all(TOPICS[3].partitions, version))
    packed.add(1, put_all([changed(TOPICS[3], partitions=inner)], version))
    whole, parted = (encode(MetadataResponse(topics=t), version) for t in (TOPICS, packed))
    assert (len(packed), parted) == (4, whole)


def test_what_is_packed_can_only_be_written() -> None:
    packed = Packed()
    packed.add(1, b"x")
    with pytest.raises(TypeError, match="packed"):
        list(packed)


def test_put_all_says_what_it_cannot_write() -> None:
    assert put_all([], VERSION) == b""
    for elements in (TOPICS, [MetadataRequestTopic(name="asked")]):
        with pytest.raises(Refusal) as refused:
            put_all(elements, 99)
        assert refused.value.error == Error.UNSUPPORTED_VERSION


def test_a_changed_message_is_a_copy() -> None:
    topic = TOPICS[1]
    other = changed(topic, name="other")
    assert (topic.name, other.name, other.partitions) == ("topic-1", "other", topic.partitions)
    assert changed(other, name="topic-1") == topic
    with pytest.raises(TypeError, match="MetadataResponseTopic has no field nmae"):
        changed(topic, nmae="other")
