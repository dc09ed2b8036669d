"""Messages of our own: declared by a table, treated like Kafka's."""

from __future__ import annotations

import uuid

import pytest
from tools.messages import entities, frames
from tools.messages.entities import decode, encode, make
from tools.messages.private import MESSAGES, versions

from spindle.model.errors import Corrupt, Error, Refusal
from spindle.wire.apis import TABLE, Key, is_private

KEY = Key.ALTER_REPLICA_STATE


def test_every_private_api_has_its_row_and_all_versions_can_be_read() -> None:
    assert {key for key in TABLE if is_private(key)} == set(MESSAGES)
    for key in MESSAGES:
        api = TABLE[key]
        assert range(api.min, api.max + 1) == versions(key) == entities.versions(key)
        assert api.first_flexible == 0
        for version in versions(key):
            for cls in (
                entities.request_class(key, version),
                entities.response_class(key, version),
            ):
                made = make(cls)
                assert decode(cls, encode(made)) == (made, len(encode(made)))


@pytest.mark.spec("K589-01")
def test_the_kips_fields_stand_in_the_kips_order() -> None:
    t = entities.request_types(KEY, 0)
    topic = make(t.TopicData, name="t", partitions=(1, 2))
    request = make(
        t.AlterReplicaStateRequest,
        broker_id=3,
        broker_epoch=4,
        new_state=1,
        reason="bad",
        topics=(topic,),
    )
    assert encode(request) == (
        b"\0\0\0\3" + b"\0" * 7 + b"\4" + b"\1" + b"\4bad"
        b"\2" + b"\2t" + b"\3\0\0\0\1\0\0\0\2" + b"\0" + b"\0"
    )
    named = make(t.TopicData, name="t", partitions=(1,), topic_id=uuid.UUID(int=9))
    assert decode(t.TopicData, encode(named))[0] == named


def test_a_request_travels_as_a_frame_and_its_answer_too() -> None:
    request = make(entities.request_class(KEY, 0), broker_id=1, reason="")
    read = frames.decode_request(frames.encode_request(request, 7, "us")[4:])
    assert read.body == request
    r = entities.response_types(KEY, 0)
    p = make(r.PartitionData, partition_index=1, error_code=Error.UNKNOWN_TOPIC_OR_PARTITION)
    answer = make(
        r.AlterReplicaStateResponse, topics=(make(r.TopicData, name="t", partitions=(p,)),)
    )
    frame = b"".join(bytes(b) for b in frames.encode_response(read.header, answer))
    assert frames.decode_response(request, frame[4:]) == answer


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        entities.request_types(KEY, 1)
    assert caught.value.error is Error.UNSUPPORTED_VERSION
    assert not entities.versions(30_000)
    with pytest.raises(AssertionError, match="brokre"):
        make(entities.request_class(KEY, 0), brokre=1)
    with pytest.raises(Corrupt):
        decode(entities.request_class(KEY, 0), b"\0\0\0\1")
