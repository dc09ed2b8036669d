"""Committed records become the node's image; listeners hear of it once a group."""

from __future__ import annotations

import uuid

import pytest

from spindle.model import metadata_records as r
from spindle.model.errors import Corrupt
from spindle.model.image import Delta
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.metadata import Metadata, copy_image

ONE, TWO = uuid.UUID(int=1001), uuid.UUID(int=1002)


def topic(id: uuid.UUID, name: str) -> r.Topic:
    return r.Topic(name=name, topic_id=id)


def heard(metadata: Metadata) -> list[Delta]:
    """The list of deltas that a listener will get."""
    deltas: list[Delta] = []
    metadata.listen(deltas.append)
    return deltas


def test_batches_are_applied_at_once_and_announced_once_a_group() -> None:
    metadata = Metadata()
    deltas = heard(metadata)
    metadata.on_committed(0, 0, 1, [])
    metadata.on_committed(1, 1, 1, [r.FeatureLevel(name="metadata.version", level=30)])
    metadata.on_committed(
        2, 2, 1, [r.DynamicConfig(resource_type=4, resource_name="", key="k", value="v")]
    )
    assert metadata.offset == 2
    assert deltas == []
    metadata.publish()
    assert len(deltas) == 1
    assert deltas[0].features
    assert (4, "") in deltas[0].configs
    metadata.publish()
    assert len(deltas) == 1


def test_a_transaction_over_batches_counts_at_its_end() -> None:
    metadata = Metadata()
    metadata.on_committed(0, 1, 1, [topic(ONE, "one"), r.BeginTransaction(name="x")])
    metadata.on_committed(2, 2, 1, [topic(TWO, "two")])
    assert metadata.in_transaction
    assert set(metadata.image.topic_ids) == {"one"}
    assert metadata.offset == -1  # Not past the open transaction.
    metadata.on_committed(3, 3, 1, [r.EndTransaction()])
    assert set(metadata.image.topic_ids) == {"one", "two"}
    assert metadata.offset == 3
    assert not metadata.in_transaction


def test_an_aborted_transaction_never_counts() -> None:
    metadata = Metadata()
    metadata.on_committed(
        0, 3, 1, [r.BeginTransaction(), topic(ONE, "one"), r.AbortTransaction(), topic(TWO, "two")]
    )
    assert set(metadata.image.topic_ids) == {"two"}


@pytest.mark.parametrize(
    "records",
    [
        [r.EndTransaction()],
        [r.AbortTransaction()],
        [r.BeginTransaction(), r.BeginTransaction()],
        [r.RemoveTopic(topic_id=ONE)],
        [r.BrokerRegistrationChange(broker_id=9, broker_epoch=1, fenced=1)],
    ],
)
def test_records_that_do_not_fit_are_a_broken_log(records: list[r.MetadataRecord]) -> None:
    metadata = Metadata()
    with pytest.raises(Corrupt, match="batch 7-8"):
        metadata.on_committed(7, 8, 1, records)


def test_a_snapshot_replaces_everything_and_tells_what_is_gone() -> None:
    metadata = Metadata()
    deltas = heard(metadata)
    metadata.on_committed(
        0,
        3,
        1,
        [
            topic(ONE, "one"),
            r.RegisterBroker(broker_id=5, incarnation_id=ONE, broker_epoch=1),
            r.DynamicConfig(resource_type=2, resource_name="one", key="k", value="v"),
            r.BeginTransaction(),
        ],
    )
    metadata.publish()
    metadata.on_snapshot(OffsetAndEpoch(50, 3), [topic(TWO, "two")])
    metadata.publish()
    assert set(metadata.image.topic_ids) == {"two"}
    assert metadata.offset == 49
    assert not metadata.in_transaction
    assert list(deltas[1].removed) == [ONE]
    assert 5 in deltas[1].brokers
    assert (2, "one") in deltas[1].configs


def test_what_was_removed_but_not_announced_yet_is_announced_with_the_snapshot() -> None:
    metadata = Metadata()
    metadata.on_committed(0, 0, 1, [topic(ONE, "one")])
    deltas = heard(metadata)
    metadata.publish()
    metadata.on_committed(1, 1, 1, [r.RemoveTopic(topic_id=ONE)])
    metadata.on_snapshot(OffsetAndEpoch(50, 3), [])
    metadata.publish()
    assert [list(delta.removed) for delta in deltas] == [[ONE]]


def test_a_copied_image_goes_its_own_way() -> None:
    metadata = Metadata()
    partition = r.PartitionRegistration(
        partition_id=0,
        topic_id=ONE,
        replicas=(1,),
        isr=(1,),
        leader=1,
        leader_epoch=0,
        partition_epoch=0,
    )
    metadata.on_committed(
        0,
        2,
        1,
        [
            topic(ONE, "one"),
            partition,
            r.DynamicConfig(resource_type=2, resource_name="one", key="k", value="v"),
        ],
    )
    copy = copy_image(metadata.image)
    copy.apply(r.PartitionChange(partition_id=0, topic_id=ONE, leader=-1))
    copy.apply(r.DynamicConfig(resource_type=2, resource_name="one", key="k", value="w"))
    copy.apply(topic(TWO, "two"))
    assert metadata.image.topics[ONE].partitions[0] == partition
    assert metadata.image.config(2, "one") == {"k": "v"}
    assert set(metadata.image.topic_ids) == {"one"}
    assert copy.offset == 2
