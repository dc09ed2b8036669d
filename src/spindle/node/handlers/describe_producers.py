"""DescribeProducers (61), version 0.

Behaviour: the producers that a partition's leader remembers, and where the open transaction of
each began (KIP-664).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.node.calls import Call
from spindle.node.replicas.hosted import Hosted
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Tell what is remembered."""
    types = call.reply
    topics = tuple(
        make(
            types.TopicResponse,
            name=topic.name,
            partitions=tuple(_told(broker, types, topic.name, n) for n in topic.partition_indexes),
        )
        for topic in call.body.topics
    )
    call.answer(make(types.DescribeProducersResponse, topics=topics))


def _told(broker: Broker, types: Any, topic: str, index: int) -> Any:
    hosted = broker.replicas.leader(topic, index)
    if not isinstance(hosted, Hosted):
        return make(types.PartitionResponse, partition_index=index, error_code=hosted)
    machine = hosted.partition
    return make(
        types.PartitionResponse,
        partition_index=index,
        active_producers=tuple(
            make(
                types.ProducerState,
                producer_id=id,
                producer_epoch=producer.epoch,
                last_sequence=producer.last_sequence,
                last_timestamp=producer.last_timestamp,
                coordinator_epoch=producer.coordinator_epoch,
                current_txn_start_offset=machine.transactions.open.get(id, -1),
            )
            for id, producer in machine.producers.items()
        ),
    )
