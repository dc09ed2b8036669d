"""Snapshots of the metadata: an image as records, records as a checkpoint file, and their names.

Format of `%020d-%010d.checkpoint` (KIP-630): a control batch with the snapshot's header, data
batches, a control batch with its footer; offsets count from 0 over all of them. Knows no disk:
`quorum` writes and reads the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from spindle.model import metadata_records as r
from spindle.model.batches import CONTROL, Buffer, Record, RecordBatch
from spindle.model.errors import Corrupt
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.image import ClusterImage
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.quorum_voters import STATIC, KRaftVersion, QuorumAt, QuorumRecord, Voters
from spindle.wire import batch as codec
from spindle.wire import control
from spindle.wire.metadata import NEWEST, decode_record, encode_record

BATCH_RECORDS: Final = 1000
BOOTSTRAP: Final = "bootstrap.checkpoint"
FORMATTED: Final = OffsetAndEpoch(0, 0)
"""The snapshot that a format writes which names the first voters (KIP-853)."""
_NAME: Final = re.compile(r"(\d{20})-(\d{10})\.checkpoint")


def snapshot_name(id: OffsetAndEpoch) -> str:
    """The file name of a snapshot."""
    return f"{id.offset:020d}-{id.epoch:010d}.checkpoint"


def snapshot_of_name(name: str) -> OffsetAndEpoch | None:
    """The snapshot that a file name stands for, or None."""
    match = _NAME.fullmatch(name)
    return OffsetAndEpoch(int(match[1]), int(match[2])) if match else None


def image_records(image: ClusterImage) -> Iterator[r.MetadataRecord]:
    """All records that rebuild the image, in the order that Apache Kafka's readers expect."""
    for name in sorted(image.features, key=lambda n: (n != "metadata.version", n)):
        yield r.FeatureLevel(name=name, level=image.features[name])
    yield from image.brokers.values()
    yield from image.controllers.values()
    for topic in image.topics.values():
        yield r.Topic(name=topic.name, topic_id=topic.topic_id)
        yield from topic.partitions.values()
    for (kind, name), settings in image.configs.items():
        for key, value in settings.items():
            yield r.DynamicConfig(resource_type=kind, resource_name=name, key=key, value=value)
    if image.next_producer_id > 0:
        yield r.ProducerIdsBlock(
            broker_id=-1, broker_epoch=-1, next_producer_id=image.next_producer_id
        )
    yield from image.scram.values()
    yield from image.access.tokens.values()
    yield from image.acls.entries.values()
    for entity, quotas in image.quotas.entities.items():
        for key, quota in quotas.items():
            yield r.ClientQuota(entity=entity, key=key, value=quota)
    yield from image.others


def metadata_level(image: ClusterImage) -> int:
    """The metadata.version at which records are written: the cluster's; the newest before it is."""
    return image.features.get(METADATA_VERSION, NEWEST)


class SnapshotWriter:
    """Turns an image, which must not change meanwhile, into a snapshot's bytes, step by step."""

    def __init__(
        self,
        id: OffsetAndEpoch,
        image: ClusterImage,
        timestamp: int,
        quorum: QuorumAt = STATIC,
    ) -> None:
        self.id = id
        self._timestamp = timestamp
        self._records = image_records(image)
        self._level = metadata_level(image)
        self._offset = 0
        self._buffers: list[Buffer] = []
        said = [control.control_record(one, timestamp) for one in quorum.records]
        self._add([control.snapshot_header(timestamp), *said], CONTROL)

    def step(self) -> bool:
        """Encode the next batch of records; whether any were left."""
        values: list[Record] = []
        for record in self._records:
            value = encode_record(record, self._level)
            values.append(Record(self._offset + len(values), self._timestamp, None, value))
            if len(values) == BATCH_RECORDS:
                break
        if values:
            self._add(values, 0)
        return bool(values)

    def finish(self) -> bytes:
        """The whole file."""
        while self.step():
            pass
        self._add([control.snapshot_footer()], CONTROL)
        return b"".join(self._buffers)

    def _add(self, records: list[Record], attributes: int) -> None:
        batch = codec.build(
            records, base_offset=self._offset, leader_epoch=self.id.epoch, attributes=attributes
        )
        self._buffers.extend(codec.stamped(batch))
        self._offset = batch.next_offset


def snapshot_time(name: str, data: Buffer) -> int:
    """When the newest record of a checkpoint file was written (ms), by its header. Corrupt."""
    try:
        for record in codec.records(codec.split(data)[0]):
            header = control.decode_control(record)
            if isinstance(header, control.SnapshotHeader):
                return header.last_timestamp
    except (Corrupt, IndexError) as error:
        raise Corrupt(f"{name}: {error}") from None
    raise Corrupt(f"{name}: it does not begin with a snapshot's header")


def read_snapshot(name: str, data: Buffer) -> list[r.MetadataRecord]:
    """The data records of a checkpoint file; Corrupt, with its name, where it is damaged."""
    found: list[r.MetadataRecord] = []
    try:
        for batch in codec.split(data):
            codec.check(batch)
            if not batch.is_control:
                found.extend(
                    decode_record(record.value)
                    for record in codec.records(batch)
                    if record.value is not None
                )
    except Corrupt as error:
        raise Corrupt(f"{name}: {error}") from None
    return found


def quorum_records(batch: RecordBatch) -> Iterator[tuple[int, QuorumRecord]]:
    """What a control batch says of the quorum, with the offsets. Corrupt."""
    for record in codec.records(batch):
        found = control.decode_control(record)
        if isinstance(found, KRaftVersion | Voters):
            yield record.offset, found


def snapshot_quorum(name: str, data: Buffer) -> QuorumAt:
    """What a checkpoint file says of the quorum. Corrupt, with its name, where it is damaged."""
    level, voters = 0, None
    try:
        for batch in codec.split(data):
            if not batch.is_control:
                continue
            for _, found in quorum_records(batch):
                if isinstance(found, KRaftVersion):
                    level = found.level
                else:
                    voters = found
    except Corrupt as error:
        raise Corrupt(f"{name}: {error}") from None
    return QuorumAt(level, voters)
