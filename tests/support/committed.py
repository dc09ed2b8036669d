"""What a cluster's only controller has written, read from its files; and words put in its mouth.

Works on a controller of either kind as long as its log still begins at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.messages.entities import make, request_types

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import DirectoryId
from spindle.model.image import ClusterImage
from spindle.wire import batch
from spindle.wire.apis import Key
from spindle.wire.metadata import decode_record
from spindle.wire.values import take_uvarint
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.quorum import ask
from tests.support.waiting import eventually

_CONTROL = 0x20


@dataclass(frozen=True)
class Written:
    """A record of the metadata log: its key and version on disk, and what it says."""

    key: int
    version: int
    record: r.MetadataRecord


@dataclass
class _Read:
    """What was read of a file so far: callers that wait for a record look again and again."""

    size: int = 0
    batches: list[list[Written]] = field(default_factory=list)


_read: dict[tuple[Path, int], _Read] = {}


def batches(cluster: ApacheKafka) -> list[list[Written]]:
    """Every batch of the log, as its records; those of the quorum itself left out."""
    (folder,) = cluster.nodes[CONTROLLER_ID].log_dirs
    files = sorted((folder / "__cluster_metadata-0").glob("*.log"))
    return [one for file in files for one in _batches_of(file)]


def _batches_of(file: Path) -> list[list[Written]]:
    known = _read.setdefault((file, file.stat().st_ino), _Read())
    with file.open("rb") as log:
        log.seek(known.size)
        new = batch.split(log.read(), partial=True)
    for one in new:
        known.size += len(one.data)
        if not one.attributes & _CONTROL:
            values = [bytes(record.value or b"") for record in batch.records(one)]
            known.batches.append([_written(value) for value in values])
    return known.batches


def _written(value: bytes) -> Written:
    _, at = take_uvarint(value, 0)
    key, at = take_uvarint(value, at)
    version, _ = take_uvarint(value, at)
    return Written(key, version, decode_record(value))


def image(cluster: ApacheKafka) -> ClusterImage:
    """The cluster as the log tells it."""
    whole = ClusterImage()
    for written in batches(cluster):
        for one in written:
            whole.apply(one.record)
    return whole


def assigned(cluster: ApacheKafka, broker: int, *topics: str) -> dict[str, DirectoryId]:
    """The directory that the metadata names for a broker's replica of partition 0 of topics."""
    now = image(cluster)
    found = {}
    for name in topics:
        topic = now.topic(name)
        assert topic is not None, f"no topic {name}"
        found[name] = now.directory_of(topic.partitions[0], broker)
    return found


def assign(
    cluster: ApacheKafka,
    broker: int,
    places: Mapping[str, DirectoryId],
    partitions: Sequence[int] = (0,),
) -> None:
    """Tell the controller in a broker's name where its replicas of topics are, true or not."""
    now = image(cluster)
    types = request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
    request = make(
        types.AssignReplicasToDirsRequest,
        broker_id=broker,
        broker_epoch=now.brokers[broker].broker_epoch,
        directories=tuple(
            make(
                types.DirectoryData,
                id_=place,
                topics=(
                    make(
                        types.TopicData,
                        topic_id=now.topic_ids[topic],
                        partitions=tuple(
                            make(types.PartitionData, partition_index=n) for n in partitions
                        ),
                    ),
                ),
            )
            for topic, place in places.items()
        ),
    )
    answer = ask_controller(cluster, request)
    assert answer.error_code == Error.NONE, answer
    errors = [p.error_code for d in answer.directories for t in d.topics for p in t.partitions]
    assert errors == [Error.NONE] * len(places) * len(partitions), errors
    eventually(
        lambda: assigned(cluster, broker, *places) == dict(places), "it stands in the log", 60
    )


def ask_controller(cluster: ApacheKafka, request: Any) -> Any:
    """Send the controller a request of our own making; its answer."""
    port = cluster.nodes[CONTROLLER_ID].controller_port
    assert port is not None
    return ask(port, request, 20)
