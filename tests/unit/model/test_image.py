"""The image: replay of records, and what it says of directories."""

import uuid

import pytest

from spindle.model import metadata_records as r
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED, PartitionId
from spindle.model.image import ClusterImage

TOPIC = uuid.UUID(int=1000)
D1, D2, GONE = (uuid.UUID(int=2000 + n) for n in range(3))
INCARNATION = uuid.UUID(int=3000)


def image(*log_dirs: uuid.UUID) -> ClusterImage:
    made = ClusterImage()
    made.apply(
        r.RegisterBroker(broker_id=1, incarnation_id=INCARNATION, broker_epoch=5, log_dirs=log_dirs)
    )
    made.apply(r.Topic(name="t", topic_id=TOPIC))
    made.apply(
        r.PartitionRegistration(
            partition_id=0,
            topic_id=TOPIC,
            replicas=(1,),
            isr=(1,),
            leader=1,
            leader_epoch=3,
            partition_epoch=7,
            directories=(D1,),
        )
    )
    return made


@pytest.mark.spec("K858-15")
@pytest.mark.parametrize(
    ("log_dirs", "directory", "online"),
    [
        ((D1, D2), D1, True),
        ((D1, D2), GONE, False),
        ((D1, D2), LOST, False),
        ((D1, D2), UNASSIGNED, True),
        ((D1, D2), MIGRATING, True),
        ((D1,), LOST, False),
        ((), GONE, True),  # a broker that knows no directories: all of it is online
        ((), LOST, False),
    ],
)
def test_a_directory_counts_as_online_as_apache_kafka_ships_it(
    log_dirs: tuple[uuid.UUID, ...], directory: uuid.UUID, online: bool
) -> None:
    assert image(*log_dirs).directory_is_online(1, directory) is online


def test_a_replica_is_online_with_its_broker_and_its_directory() -> None:
    made = image(D1, D2)
    partition = made.partition(PartitionId(TOPIC, 0))
    assert partition is not None
    assert not made.replica_is_online(partition, 1)  # still fenced
    made.apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=5, fenced=-1))
    assert made.replica_is_online(partition, 1)
    made.apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=5, log_dirs=(D2,)))
    assert not made.replica_is_online(partition, 1)


def test_epochs_move_as_replay_defines() -> None:
    made = image(D1)
    made.apply(r.PartitionChange(partition_id=0, topic_id=TOPIC, directories=(D2,)))
    made.apply(r.PartitionChange(partition_id=0, topic_id=TOPIC, leader=1))
    partition = made.partition(PartitionId(TOPIC, 0))
    assert partition is not None
    assert (partition.leader_epoch, partition.partition_epoch) == (4, 9)
    assert partition.directories == (D2,)


def test_a_change_of_an_older_registration_is_a_broken_log() -> None:
    with pytest.raises(AssertionError, match="of epoch 4, registered 5"):
        image(D1).apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=4, fenced=1))


def test_a_topic_goes_with_its_partitions_and_its_settings() -> None:
    made = image(D1)
    made.apply(r.DynamicConfig(resource_type=2, resource_name="t", key="retention.ms", value="1"))
    made.take_delta()
    made.apply(r.RemoveTopic(topic_id=TOPIC))
    assert made.topic("t") is None
    assert made.config(2, "t") == {}
    assert list(made.take_delta().removed) == [TOPIC]


def test_each_change_makes_another_revision_and_a_look_at_it_does_not() -> None:
    image = ClusterImage()
    before = image.revision
    image.take_delta()
    image.apply(r.NoOp())
    assert image.revision is before
    image.apply(r.FeatureLevel(name="metadata.version", level=29))
    after = image.revision
    assert after is not before
    image.take_delta()
    assert image.revision is after
    assert ClusterImage().revision is not after
