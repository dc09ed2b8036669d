"""From processes to partitions that serve: start, stop and kill a cluster; wait for each partition.

A partition is served when its leader has acknowledged a record to a producer that asks for
acks=all. All of a topic are asked in one request for each leader, so that the client takes little
of the processors on which it waits.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from tests.support.apache_kafka import ApacheKafka, ApacheNode, brokers_known

from bench.raw_link import Link, framed
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.batches import Record
from spindle.model.errors import Error
from spindle.wire import batch
from spindle.wire.framing import response_in
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from spindle.wire.messages.produce_request import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)

PATIENCE_S: Final = 600.0
PAUSE_S: Final = 0.02
"""Between two looks: what a figure may be off by."""
A_TOPIC: Final = 1_000
"""Partitions of a topic at most: Apache Kafka makes no 10,000 in one request."""
_METADATA_VERSION, _PRODUCE_VERSION = 12, 9
_ALL_REPLICAS: Final = -1


def started(cluster: ApacheKafka) -> None:
    """Start every node; returns at once."""
    for node_id in cluster.nodes:
        cluster.start_node(node_id, wait=False)


def listed(cluster: ApacheKafka) -> None:
    """Wait until every broker lists all of them."""
    ids = {node.node_id for node in cluster.brokers}
    deadline = time.monotonic() + PATIENCE_S
    while any(brokers_known("127.0.0.1", node.port) != ids for node in cluster.brokers):
        assert time.monotonic() < deadline, f"brokers {sorted(ids)} do not serve"
        time.sleep(PAUSE_S)


def stopped(cluster: ApacheKafka) -> None:
    """A clean end: all brokers together, then the controllers, each for as long as it takes."""
    brokers = [node for node in cluster.nodes.values() if node.is_broker]
    _ended(brokers)
    _ended([node for node in cluster.nodes.values() if not node.is_broker])


def _ended(nodes: list[ApacheNode]) -> None:
    running = [(node, node.process) for node in nodes if node.process is not None]
    for _, process in running:
        process.terminate()
    for node, process in running:
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"node {node.node_id} does not stop") from None
        node.process = None


def killed(cluster: ApacheKafka) -> None:
    """SIGKILL for every node."""
    cluster.kill()


def topics_of(partitions: int, prefix: str) -> dict[str, int]:
    """So many partitions as topics, by name: each of a thousand but for the last one."""
    firsts = range(0, partitions, A_TOPIC)
    return {f"{prefix}-{n}": min(A_TOPIC, partitions - n) for n in firsts}


def made(cluster: ApacheKafka, topics: Mapping[str, int], replicas: int) -> None:
    """Have topics made, one request each."""

    async def make() -> None:
        async with AdminClient(cluster.bootstrap, timeout=PATIENCE_S) as admin:
            for topic, partitions in topics.items():
                await admin.create_topics([NewTopic(topic, partitions, replicas)]).all()

    asyncio.run(make())


def served(cluster: ApacheKafka, topics: Mapping[str, int]) -> None:
    """Wait until each partition of the topics has acknowledged one record more.

    AssertionError that says why the last ones did not, after `PATIENCE_S`.
    """
    writer = _Writer(cluster)
    deadline = time.monotonic() + PATIENCE_S
    try:
        for topic, partitions in topics.items():
            missing = set(range(partitions))
            while missing := missing - writer.written(topic, missing):
                assert time.monotonic() < deadline, (
                    f"{len(missing)} partitions of {topic} do not serve: {writer.refusal}"
                )
                time.sleep(PAUSE_S)
    finally:
        writer.close()


class _Writer:
    """Writes a record to each of many partitions, at their leaders; nothing is tried twice."""

    def __init__(self, cluster: ApacheKafka) -> None:
        self._ports = {node.node_id: node.port for node in cluster.brokers}
        self._asked = cluster.brokers[0].node_id
        self._links: dict[int, Link] = {}
        made_of = batch.build([Record(0, 0, None, b"served")])
        self._record = b"".join(bytes(piece) for piece in batch.stamped(made_of))
        self.refusal = "none has been asked"
        """Why the last one that was not written was not."""

    def written(self, topic: str, partitions: set[int]) -> set[int]:
        """Those of the partitions that have acknowledged a record."""
        requests: dict[int, ProduceRequest] = {}
        with suppress(OSError):
            for leader, led in self._led(topic, partitions).items():
                requests[leader] = self._sent(leader, topic, led)
        done: set[int] = set()
        for leader, request in requests.items():
            try:
                answer = response_in(self._link(leader).receive(), request, _PRODUCE_VERSION)
            except OSError as lost:
                self._lose(leader, lost)
                continue
            for told in answer.responses[0].partition_responses:
                if told.error_code == Error.NONE:
                    done.add(told.index)
                else:
                    self.refusal = f"broker {leader} said {told.error_code!r}"
        return done

    def _led(self, topic: str, partitions: set[int]) -> dict[int, list[int]]:
        """Which of them each broker leads, as one broker tells; OSError if it does not."""
        request = MetadataRequest(
            topics=(MetadataRequestTopic(name=topic),), allow_auto_topic_creation=False
        )
        try:
            (told,) = self._link(self._asked).ask(request, _METADATA_VERSION).topics
        except OSError as lost:
            self._lose(self._asked, lost)
            raise
        led: dict[int, list[int]] = {}
        for partition in told.partitions:
            if partition.partition_index not in partitions:
                continue
            if partition.leader_id in self._ports:
                led.setdefault(partition.leader_id, []).append(partition.partition_index)
            else:
                self.refusal = f"broker {self._asked} knows no leader"
        return led

    def _sent(self, leader: int, topic: str, partitions: list[int]) -> ProduceRequest:
        data = tuple(PartitionProduceData(index=n, records=self._record) for n in partitions)
        topics = (TopicProduceData(name=topic, partition_data=data),)
        request = ProduceRequest(acks=_ALL_REPLICAS, timeout_ms=30_000, topic_data=topics)
        try:
            self._link(leader).send(framed(request, _PRODUCE_VERSION))
        except OSError as lost:
            self._lose(leader, lost)
            raise
        return request

    def _link(self, broker: int) -> Link:
        if broker not in self._links:
            self._links[broker] = Link(self._ports[broker])
        return self._links[broker]

    def _lose(self, broker: int, lost: OSError) -> None:
        self.refusal = f"broker {broker}: {lost}"
        if broker in self._links:
            self._links.pop(broker).close()

    def close(self) -> None:
        """Hang up everywhere."""
        for link in self._links.values():
            link.close()
