"""A small cluster as committed metadata: brokers, topics, directories."""

from __future__ import annotations

import uuid
from dataclasses import replace

from spindle.model import metadata_records as r
from spindle.model.ids import Endpoint
from spindle.model.image import ClusterImage
from spindle.storage.formatting import DEFAULT_LEVELS


def directory(broker: int, number: int) -> uuid.UUID:
    """The id of a broker's directory."""
    return uuid.UUID(int=1_000 * broker + number + 100)


def topic_id(name: str) -> uuid.UUID:
    """The id that a topic of this name gets here."""
    return uuid.uuid5(uuid.NAMESPACE_DNS, name)


def add_broker(image: ClusterImage, broker: int, *, fenced: bool = False) -> None:
    """A broker with two directories, reached on PLAINTEXT and on INSIDE."""
    image.apply(
        r.RegisterBroker(
            broker_id=broker,
            incarnation_id=uuid.UUID(int=broker + 1_000_000),
            broker_epoch=broker * 10,
            endpoints=(
                Endpoint("PLAINTEXT", f"host{broker}", 9000 + broker),
                Endpoint("INSIDE", f"inside{broker}", 8000 + broker),
            ),
            rack=f"rack{broker}",
            fenced=fenced,
            log_dirs=(directory(broker, 0), directory(broker, 1)),
        )
    )


def add_topic(
    image: ClusterImage,
    name: str,
    *partitions: tuple[int, ...],
    leader: int | None = None,
    isr: tuple[int, ...] | None = None,
) -> uuid.UUID:
    """A topic whose partitions have these replicas, led by the first one unless said otherwise."""
    id = topic_id(name)
    image.apply(r.Topic(name=name, topic_id=id))
    for index, replicas in enumerate(partitions):
        image.apply(
            r.PartitionRegistration(
                partition_id=index,
                topic_id=id,
                replicas=replicas,
                isr=replicas if isr is None else isr,
                leader=replicas[0] if leader is None else leader,
                leader_epoch=3,
                partition_epoch=4,
                directories=tuple(directory(broker, 0) for broker in replicas),
            )
        )
    return id


def lose_directory(image: ClusterImage, broker: int, number: int) -> None:
    """A broker reports one of its directories offline."""
    state = image.brokers[broker]
    online = tuple(d for d in state.log_dirs if d != directory(broker, number))
    image.apply(replace(state, log_dirs=online))


def three_brokers() -> ClusterImage:
    """Three live brokers, no topics."""
    image = ClusterImage()
    for broker in (1, 2, 3):
        add_broker(image, broker)
    for level in DEFAULT_LEVELS:
        image.apply(level)
    image.offset = 77
    return image
