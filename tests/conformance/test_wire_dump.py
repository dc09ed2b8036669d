"""Apache Kafka's own DumpLogSegments reads what we write: batches, all compressions, snapshots."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from tests.support.apache_kafka import run_tool

from spindle.model import metadata_records as r
from spindle.model.batches import TRANSACTIONAL, Record
from spindle.model.ids import Endpoint, VersionRange
from spindle.wire import batch as codec
from spindle.wire.batch import Compression
from spindle.wire.checkpoint import encode_checkpoint
from spindle.wire.control import KRaftVersion, Voter, Voters

DUMP = "org.apache.kafka.tools.DumpLogSegments"
SOME_ID = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")


@pytest.mark.kafka
def test_batches_of_every_compression_are_read(kafka_jars: Path, tmp_path: Path) -> None:
    parts, base = [], 0
    for compression in Compression:
        given = [
            Record(base + i, 1_700_000_000_000 + i, b"key-%d" % i, b"value " * 40, (("h", None),))
            for i in range(300)
        ]
        batch = codec.build(
            given, base_offset=base, leader_epoch=3, compression=compression, producer_id=5,
            producer_epoch=0, base_sequence=base, attributes=TRANSACTIONAL,
        )  # fmt: skip
        base = batch.next_offset
        parts.append(bytes(batch.data))
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(b"".join(parts))
    said = run_tool(
        kafka_jars, DUMP, "--deep-iteration", "--print-data-log", "--files", str(segment)
    )
    assert said.code == 0, said.stderr
    for compression in Compression:
        assert f"compresscodec: {compression.name.lower()}" in said.stdout
    assert said.stdout.count("payload: value value") == 300 * len(Compression)
    assert said.stdout.count("headerKeys: [h]") == 300 * len(Compression)
    assert "isvalid: false" not in said.stdout
    assert f"lastOffset: {base - 1} " in said.stdout


@pytest.mark.kafka
def test_a_snapshot_is_read(kafka_jars: Path, tmp_path: Path) -> None:
    endpoint = Endpoint("PLAINTEXT", "localhost", 9092)
    records: list[r.MetadataRecord] = [
        r.FeatureLevel(name="metadata.version", level=30),
        r.RegisterBroker(
            broker_id=1, incarnation_id=SOME_ID, broker_epoch=9, endpoints=(endpoint,),
            features=(("metadata.version", VersionRange(7, 30)),), log_dirs=(SOME_ID,),
            cordoned_log_dirs=(SOME_ID,),
        ),
        r.RegisterController(controller_id=3, incarnation_id=SOME_ID, endpoints=(endpoint,)),
        r.Topic(name="orders", topic_id=SOME_ID),
        r.PartitionRegistration(
            partition_id=0, topic_id=SOME_ID, replicas=(1, 2), isr=(1,), leader=1, leader_epoch=4,
            partition_epoch=6, directories=(SOME_ID, SOME_ID), elr=(2,), last_known_elr=(2,),
        ),
        r.PartitionChange(partition_id=0, topic_id=SOME_ID, isr=(), leader=-1, elr=(1,)),
        r.BrokerRegistrationChange(broker_id=1, broker_epoch=9, fenced=-1),
        r.BrokerRegistrationChange(broker_id=1, broker_epoch=9, log_dirs=(SOME_ID,)),
        r.DynamicConfig(resource_type=2, resource_name="orders", key="retention.ms", value="1"),
        r.ProducerIdsBlock(broker_id=1, broker_epoch=9, next_producer_id=2000),
        r.ClearElr(topic="orders"),
        r.UserScramCredential(
            name="ann", mechanism=2, salt=b"12", stored_key=b"34", server_key=b"56",
            iterations=4096,
        ),
        r.RemoveUserScramCredential(name="ann", mechanism=2),
        r.ClientQuota(entity=(("user", None), ("client-id", "app")), key="request_percentage",
                      value=2.5),
        r.ClientQuota(entity=(("ip", "10.0.0.1"),), key="connection_creation_rate", remove=True),
        r.UnregisterBroker(broker_id=2, broker_epoch=1),
        r.RemoveTopic(topic_id=SOME_ID),
        r.BeginTransaction(name="b"), r.AbortTransaction(reason="why"), r.EndTransaction(),
        r.NoOp(),
    ]  # fmt: skip
    voters = Voters((Voter(3, SOME_ID, (endpoint,), VersionRange(0, 1)),))
    file = tmp_path / "00000000000000000100-0000000004.checkpoint"
    file.write_bytes(
        b"".join(encode_checkpoint(records, epoch=4, quorum=(KRaftVersion(1), voters)))
    )
    said = run_tool(kafka_jars, DUMP, "--cluster-metadata-decoder", "--files", str(file))
    assert said.code == 0, said.stderr
    payloads = [line for line in said.stdout.splitlines() if "payload: {" in line]
    assert len(payloads) == len(records)
    assert "skipping" not in said.stdout.lower()
    for text in (
        '"type":"REGISTER_BROKER_RECORD","version":4',
        '"cordonedLogDirs":["a6e4EJ2tEdGAtADAT9QwyA"]',
        '"eligibleLeaderReplicas":[2],"lastKnownElr":[2]',
        '"type":"PARTITION_CHANGE_RECORD","version":2',
        '"type":"CLEAR_ELR_RECORD"',
        '"name":"ann","mechanism":2,"salt":"MTI=","storedKey":"MzQ=","serverKey":"NTY="',
        '"type":"REMOVE_USER_SCRAM_CREDENTIAL_RECORD"',
        '{"entityType":"user","entityName":null},{"entityType":"client-id","entityName":"app"}',
        '"key":"request_percentage","value":2.5,"remove":false',
        '"reason":"why"',
        "SnapshotHeader",
        "KRaftVersion",
        "KRaftVoters",
        "SnapshotFooter",
    ):
        assert text in said.stdout, said.stdout
