"""Spindle's tagged fields on Kafka's messages: our nodes read them, others step over them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from kio.index import load_payload_module
from kio.static.constants import EntityType
from tools.messages.entities import decode, encode, make, request_types, response_types
from tools.messages.layout import layout_of
from tools.messages.readers import read_all

from spindle.wire.apis import Key

ONE, TWO = uuid.UUID(int=1 << 64), uuid.UUID(int=2 << 64)


@pytest.mark.spec("B-25")
@pytest.mark.parametrize("version", [2, 3, 4, 5])
def test_directory_ids_are_sent_to_clients_that_know_the_field(version: int) -> None:
    types = response_types(Key.DESCRIBE_LOG_DIRS, version)
    results = tuple(
        make(types.DescribeLogDirsResult, log_dir=path, directory_id=id)
        for path, id in (("/a", ONE), ("/b", None))
    )
    sent = encode(make(types.DescribeLogDirsResponse, results=results))
    ours, _ = decode(types.DescribeLogDirsResponse, sent)
    assert [(r.log_dir, r.directory_id) for r in ours.results] == [("/a", ONE), ("/b", None)]
    plain = load_payload_module(Key.DESCRIBE_LOG_DIRS, version, EntityType.response)
    theirs, end = read_all(layout_of(plain.DescribeLogDirsResponse), sent)
    assert end == len(sent)
    assert [r.log_dir for r in theirs.results] == ["/a", "/b"]
    assert not hasattr(theirs.results[0], "directory_id")


def test_versions_without_tags_have_no_such_field() -> None:
    types = response_types(Key.DESCRIBE_LOG_DIRS, 1)
    made = make(types.DescribeLogDirsResult, log_dir="/a", directory_id=ONE)
    assert not hasattr(made, "directory_id")


@pytest.mark.spec("B-25")
def test_a_message_that_uses_none_of_them_has_kafkas_bytes() -> None:
    ours = request_types(Key.ALTER_PARTITION_REASSIGNMENTS, 1)
    plain = load_payload_module(Key.ALTER_PARTITION_REASSIGNMENTS, 1, EntityType.request)

    def request(types: Any, **more: object) -> bytes:
        partition = make(types.ReassignablePartition, partition_index=0, replicas=(1, 2), **more)
        topic = make(types.ReassignableTopic, name="t", partitions=(partition,))
        return encode(make(types.AlterPartitionReassignmentsRequest, topics=(topic,)))

    assert request(ours) == request(plain)
    # One tag, 10000, of 33 bytes: two ids behind their count.
    tagged = b"\x01" + b"\x90\x4e" + b"\x21" + b"\x03" + ONE.bytes + bytes(16)
    assert tagged in request(ours, directories=(ONE, None))
    with pytest.raises(AssertionError, match="directorys"):
        make(ours.ReassignablePartition, directorys=())
