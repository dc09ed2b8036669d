"""Questions to Apache Kafka and to Spindle: both clusters, and how one is asked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tools.messages.entities import make, request_types

from spindle.model.batches import Buffer, Record
from spindle.model.errors import Error
from spindle.wire.apis import Key
from spindle.wire.batch import build
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.quorum import ask
from tests.support.waiting import eventually

DAY = 86_400_000


class Sides(NamedTuple):
    """Both clusters: two brokers and a controller apart."""

    apache: ApacheKafka
    ours: ApacheKafka


def same(sides: Sides, question: Callable[..., Any], *arguments: Any) -> Any:
    """Ask both; the answer."""
    theirs, ours = question(sides.apache, *arguments), question(sides.ours, *arguments)
    assert ours == theirs, (ours, theirs)
    return theirs


def send(port: int, key: Key, version: int, name: str, **fields: Any) -> Any:
    """The answer to a request, from its fields."""
    return ask(port, make(getattr(request_types(key, version), name), **fields), 40)


def port_of(cluster: ApacheKafka, node: int = 1) -> int:
    """A broker's port, or a controller's."""
    found = cluster.nodes[node]
    port = found.controller_port if node >= CONTROLLER_ID else found.port
    assert port is not None
    return port


def without_times(text: str | None) -> str | None:
    """A message without the times in it."""
    return text and re.sub(r"-?\d{12,}", "N", text)


def produce(cluster: ApacheKafka, topic: str, *records: Record, version: int = 12) -> Any:
    """The error of a batch, its message, and the records that are named for it."""
    return send_batch(cluster, topic, build(list(records)).data, version)


def send_batch(cluster: ApacheKafka, topic: str, batch: Buffer, version: int = 12) -> Any:
    """The error of a batch, its message, and the records that are named for it."""
    types = request_types(Key.PRODUCE, version)
    data = make(types.PartitionProduceData, index=0, records=batch)
    asked = make(types.TopicProduceData, name=topic, partition_data=(data,))

    def attempt() -> Any:
        answer = send(
            port_of(cluster), Key.PRODUCE, version, "ProduceRequest",
            transactional_id=None, acks=-1, timeout=5000, topic_data=(asked,),
        )  # fmt: skip
        (found,) = answer.responses[0].partition_responses
        late = (Error.UNKNOWN_TOPIC_OR_PARTITION, Error.NOT_LEADER_OR_FOLLOWER)
        return None if found.error_code in late else found

    told = eventually(attempt, f"{topic} is led")
    named = [
        (b.batch_index, without_times(b.batch_index_error_message)) for b in told.record_errors
    ]
    return told.error_code, without_times(told.error_message), named


def record(offset: int, key: bytes | None = b"k", ahead: int = 0, at: int | None = None) -> Record:
    """A record of now, or of `ahead` ms later."""
    now = time.time_ns() // 1_000_000
    return Record(offset, now + ahead if at is None else at, key, b"v")


def coordinator_of(cluster: ApacheKafka, group: str) -> int:
    """The broker that coordinates a group, once there is one."""

    def attempt() -> int:
        answer = send(
            port_of(cluster), Key.FIND_COORDINATOR, 4, "FindCoordinatorRequest",
            key_type=0, coordinator_keys=(group,),
        )  # fmt: skip
        return max(int(answer.coordinators[0].node_id), 0)

    return int(eventually(attempt, "there is a coordinator", 30))
