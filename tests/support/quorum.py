"""A metadata quorum seen from outside: its leader, how far each voter has come (DescribeQuorum).

Works on voters of either kind; each is asked at its own port, and the leader alone answers.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Any

from tools.messages.entities import make, request_types
from tools.messages.frames import decode_response, encode_request

from spindle.model.errors import Error
from spindle.model.ids import METADATA_TOPIC
from spindle.wire.apis import Key
from tests.support.apache_kafka import ApacheKafka
from tests.support.waiting import eventually

PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class View:
    """What a leader says: its epoch, what is committed, and the log's end at each replica."""

    leader: int
    epoch: int
    high_watermark: int
    voters: dict[int, int]
    observers: dict[int, int]


def ask(port: int, request: Any, seconds: float = 2) -> Any:
    """Send one request to a port of 127.0.0.1; its answer. OSError if none comes in time."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as link:
        link.sendall(encode_request(request, 1, "test"))
        with link.makefile("rb") as stream:
            head = stream.read(4)
            if len(head) < 4:
                raise ConnectionResetError("hung up")
            (size,) = struct.unpack(">i", head)
            body = stream.read(size)
            if len(body) < size:
                raise ConnectionResetError("hung up within its answer")
            return decode_response(request, body)


def describe(port: int) -> View | None:
    """What the voter at a port says of the quorum; None if it does not lead, or not answer."""
    types = request_types(Key.DESCRIBE_QUORUM, 2)
    partition = make(types.PartitionData, partition_index=0)
    topic = make(types.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    try:
        answer = ask(port, make(types.DescribeQuorumRequest, topics=(topic,)))
    except OSError:
        return None
    if answer.error_code != Error.NONE or not answer.topics:
        return None
    said = answer.topics[0].partitions[0]
    if said.error_code != Error.NONE:
        return None
    ends = [
        {int(r.replica_id): int(r.log_end_offset) for r in group}
        for group in (said.current_voters, said.observers)
    ]
    return View(int(said.leader_id), int(said.leader_epoch), int(said.high_watermark), *ends)


def quorum_of(cluster: ApacheKafka) -> View | None:
    """The newest view that any running voter has as the leader; None while no voter leads."""
    ports = [n.controller_port for n in cluster.nodes.values() if n.process is not None]
    views = [view for port in ports if port is not None and (view := describe(port)) is not None]
    return max(views, key=lambda view: view.epoch, default=None)


def led(
    cluster: ApacheKafka, *, by: int | None = None, not_by: int | None = None, after: int = -1
) -> View:
    """Wait until the quorum is led (by a node, by any other, in a later epoch) and commits."""

    def look() -> View | None:
        view = quorum_of(cluster)
        if view is None or view.high_watermark < 0 or view.epoch <= after:
            return None
        right = (by is None or view.leader == by) and view.leader != not_by
        return view if right else None

    found = eventually(look, f"the quorum is led: {by=} {not_by=} {after=}", PATIENCE_S, 0.1)
    assert found is not None
    return found


def in_step(cluster: ApacheKafka, *replicas: int) -> View:
    """Wait until these replicas of the metadata log have all that is committed now."""
    goal = led(cluster).high_watermark

    def look() -> View | None:
        view = quorum_of(cluster)
        if view is None:
            return None
        ends = {**view.voters, **view.observers}
        return view if all(ends.get(id, -1) >= goal for id in replicas) else None

    found = eventually(look, f"nodes {replicas} have {goal} records", PATIENCE_S, 0.1)
    assert found is not None
    return found
