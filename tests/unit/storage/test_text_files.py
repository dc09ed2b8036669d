"""Checkpoints and meta.properties: Kafka's bytes, and what is wrong with others."""

from __future__ import annotations

import uuid
from random import Random

import pytest
from tests.support.storage import ids

from spindle.model.errors import Corrupt
from spindle.model.ids import LOST, TopicPartition, id_to_text
from spindle.model.offsets import EpochStart
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import checkpoints, meta
from spindle.storage.meta import MetaProperties

TOPIC_ID = uuid.UUID("12345678-1234-5678-1234-567812345678")


def test_offset_checkpoint() -> None:
    offsets = {TopicPartition("a", 0): 5, TopicPartition("b-c", 11): 0}
    data = checkpoints.encode_offsets(offsets)
    assert data == b"0\n2\na 0 5\nb-c 11 0\n"
    assert checkpoints.decode_offsets(data) == offsets
    assert checkpoints.encode_offsets({}) == b"0\n0\n"
    assert checkpoints.decode_offsets(b"") == {}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"1\n0\n", "version"),
        (b"0\n2\na 0 5\n", "2"),
        (b"0\n1\na 0\n", "words"),
        (b"0\n1\na 0 x\n", "number"),
        (b"0\n1\na 0 5", "cut off"),
        (b"0\n", "count"),
        (b"\xff\xfe\n", "text"),
        (b"\0\0\0\0", "cut off"),
    ],
)
def test_damaged_offset_checkpoints(data: bytes, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        checkpoints.decode_offsets(data)


def test_leader_epochs() -> None:
    epochs = (EpochStart(0, 0), EpochStart(3, 17))
    assert checkpoints.encode_epochs(epochs) == b"0\n2\n0 0\n3 17\n"
    assert checkpoints.decode_epochs(b"0\n2\n0 0\n3 17\n") == epochs
    with pytest.raises(Corrupt, match="does not follow"):
        checkpoints.decode_epochs(b"0\n2\n3 17\n0 20\n")


def test_partition_metadata() -> None:
    data = checkpoints.encode_topic_id(TOPIC_ID)
    assert data == f"version: 0\ntopic_id: {id_to_text(TOPIC_ID)}".encode()
    assert checkpoints.decode_topic_id(data) == TOPIC_ID
    assert checkpoints.decode_topic_id(data.replace(b"version: 0", b"version:  1")) == TOPIC_ID


@pytest.mark.parametrize(
    "data",
    [b"", b"version: 0", b"version: 0\ntopic_id: xyz", b"version: 0\ntopic_id: " + b"A" * 22],
)
def test_damaged_partition_metadata(data: bytes) -> None:
    with pytest.raises(Corrupt):
        checkpoints.decode_topic_id(data)


def test_clean_shutdown_marker() -> None:
    assert checkpoints.encode_clean_shutdown(20) == b'{"version":0,"brokerEpoch":20}'
    assert checkpoints.decode_clean_shutdown(b'{"version":0,"brokerEpoch":20,"new":1}') == 20
    assert checkpoints.decode_clean_shutdown(b"") == -1
    assert checkpoints.decode_clean_shutdown(b"[1]") == -1


def test_meta_properties_round_trip() -> None:
    directory_id = ids()()
    written = MetaProperties(1, "clu-ster_Id", 7, directory_id, {"x.y": "z"})
    assert meta.decode(meta.encode(written)) == written


def test_meta_properties_of_apache_kafka() -> None:
    text = (
        b"#\n#Tue Mar 04 10:00:00 UTC 2025\nnode.id=3\n"
        b"directory.id=jm7J9FKTT0CNdSVyPMPFOA\nversion=1\ncluster.id=4L6g3nShT-eMCtK--X86sw\n"
    )
    found = meta.decode(text)
    assert (found.node_id, found.cluster_id) == (3, "4L6g3nShT-eMCtK--X86sw")
    assert found.directory_id is not None
    assert id_to_text(found.directory_id) == "jm7J9FKTT0CNdSVyPMPFOA"


def test_version_0_may_lack_everything_and_is_completed_as_version_1() -> None:
    found = meta.decode(b"broker.id=4\n")
    assert found == MetaProperties(0, None, 4)
    whole = meta.completed(found, "c", 4, TOPIC_ID)
    assert whole == MetaProperties(1, "c", 4, TOPIC_ID)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"version=2\n", "version is 2"),
        (b"version=1\nnode.id=1\n", "lacks cluster.id"),
        (b"version=1\ncluster.id=c\n", "lacks node.id"),
        (b"version=1\ncluster.id=c\nnode.id=x\n", "not a number"),
        (b"version=1\ncluster.id=c\nnode.id=1\ndirectory.id=short\n", "22 characters"),
        (
            b"version=1\ncluster.id=c\nnode.id=1\ndirectory.id=" + id_to_text(LOST).encode(),
            "reserved",
        ),
        (b"\xff", "properties"),
    ],
)
def test_damaged_meta_properties(data: bytes, why: str) -> None:
    with pytest.raises(Corrupt, match=why):
        meta.decode(data)


@pytest.mark.spec("K858-01")
def test_formatting_writes_both_files_durably() -> None:
    disk = MemoryDisk()
    disk.make_dirs("/data")
    disk.settle()
    written = MetaProperties(1, "c", 1, ids()())
    meta.format_directory(disk, "/data/d1", written, b"bootstrap")
    for seed in range(5):
        disk.crash(Random(seed))
        assert meta.read(disk, "/data/d1") == written
        assert disk.list("/data/d1") == ["bootstrap.checkpoint", "meta.properties"]


def test_random_directory_ids_are_no_reserved_ones_and_good_on_a_command_line() -> None:
    found = {meta.random_directory_id() for _ in range(200)}
    assert len(found) == 200
    assert not any(id_to_text(one).startswith("-") for one in found)
