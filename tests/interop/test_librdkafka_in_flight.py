"""librdkafka at a leader that refuses the first of the batches in flight: each record stands once.

A gap in the sequence numbers of one partition has it begin a new producer epoch in all of them
(confluentinc/librdkafka#4953). What was written elsewhere and not confirmed is written again then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, Message, Producer
from tests.support.fake_broker import FakeBroker
from tests.support.replica_world import NAME, World, produced
from tools.messages.entities import make

from spindle.model.errors import Error
from spindle.wire.apis import Key

DISK_DIED, NEW = 0, 1
"""Partitions: one whose leader has written and cannot say so, one whose leader is not ready."""
VERSIONS = {
    Key.API_VERSIONS: (0, 3),
    Key.METADATA: (0, 9),
    Key.INIT_PRODUCER_ID: (0, 1),
    Key.FETCH: (4, 11),
    Key.PRODUCE: (3, 9),
}


class Leader:
    """Spindle's replicas, as librdkafka reaches them through a broker that knows nothing else."""

    def __init__(self, broker: FakeBroker) -> None:
        self.world = World(nodes=1, partitions=2)
        self._broker = broker
        self.answers: list[tuple[int, Error]] = []
        broker.versions = {int(key): versions for key, versions in VERSIONS.items()}
        broker.on(Key.METADATA, self._metadata)
        broker.on(Key.INIT_PRODUCER_ID, self._identify)
        broker.on(Key.PRODUCE, self._produce)
        self.world.change(NEW, leader=-1)

    def _metadata(self, request: Any, types: Any) -> Any:
        me = make(types.MetadataResponseBroker, node_id=1, host="127.0.0.1", port=self._broker.port)
        partitions = tuple(
            make(
                types.MetadataResponsePartition,
                partition_index=p,
                leader_id=1,
                leader_epoch=0,
                replica_nodes=(1,),
                isr_nodes=(1,),
                offline_replicas=(),
            )
            for p in (DISK_DIED, NEW)
        )
        topic = make(types.MetadataResponseTopic, error_code=0, name=NAME, partitions=partitions)
        return make(
            types.MetadataResponse, brokers=(me,), cluster_id="c", controller_id=1, topics=(topic,)
        )

    def _identify(self, request: Any, types: Any) -> Any:
        return make(types.InitProducerIdResponse, error_code=0, producer_id=4000, producer_epoch=0)

    def _produce(self, request: Any, types: Any) -> Any:
        index = request.topic_data[0].partition_data[0].index
        is_first = all(partition != index for partition, _ in self.answers)
        answer = self.world.nodes[1].call(Key.PRODUCE, request.__version__, request)
        error, entity = Error(produced(answer).error_code), answer.entity
        if is_first and index == DISK_DIED:
            assert error is Error.NONE
            error = Error.KAFKA_STORAGE_ERROR
            refused = make(
                types.PartitionProduceResponse, index=index, error_code=error, base_offset=-1
            )
            topic = make(types.TopicProduceResponse, name=NAME, partition_responses=(refused,))
            entity = make(types.ProduceResponse, responses=(topic,))
        elif is_first:
            self.world.change(NEW, leader=1)  # Now it hears that it leads.
        self.answers.append((index, error))
        return entity


async def sent_in_flight(
    on_delivery: Callable[[KafkaError | None, Message], None],
) -> tuple[Leader, int]:
    """One record for the first partition, three for the other; how many have no answer."""
    async with FakeBroker(1) as broker:
        leader = Leader(broker)
        client = Producer({
            "bootstrap.servers": broker.bootstrap,
            "enable.idempotence": True,
            "linger.ms": 0,
            "batch.num.messages": 1,
            "log_level": 0,
        })  # fmt: skip
        now_ms = int(leader.world.now * 1000)
        for partition, value in ((DISK_DIED, b"written"), (NEW, b"1"), (NEW, b"2"), (NEW, b"3")):
            client.produce(
                NAME, value, partition=partition, timestamp=now_ms, on_delivery=on_delivery
            )
        return leader, await asyncio.to_thread(client.flush, 30)


@pytest.mark.spec("C-01")
def test_what_is_in_flight_behind_a_refused_batch_neither_doubles_nor_loses_records() -> None:
    failed: list[str] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            failed.append(str(error))

    leader, left = asyncio.run(sent_in_flight(on_delivery))
    assert (left, failed) == (0, [])
    assert leader.world.nodes[1].values(DISK_DIED) == [b"written"]
    assert leader.world.nodes[1].values(NEW) == [b"1", b"2", b"3"]
    refused = {error for partition, error in leader.answers if partition == NEW and error}
    assert refused == {Error.NOT_LEADER_OR_FOLLOWER}
