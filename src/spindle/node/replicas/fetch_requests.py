"""What a follower sends: fetches, and the question where a leader's log begins and ends.

Entities in the versions that the cluster's `metadata.version` settles (brokers do not negotiate
among themselves). Used by `fetchers`, which decides what to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from spindle.core.replica.following import Ask, Position
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.node.replicas.hosted import Hosted
from spindle.node.site import Site
from spindle.wire.apis import Key
from spindle.wire.entities import make, request_types

FETCH_VERSIONS: Final = ((27, 18), (21, 17), (19, 16), (10, 15), (9, 14), (0, 13))
"""(metadata.version, the version of Fetch from it on), newest first."""
LIST_OFFSETS_VERSION: Final = 8
"""The first with EARLIEST_LOCAL; every broker that can be in our clusters serves it."""
LATEST: Final = -1
EARLIEST_LOCAL: Final = -4
CHANNEL: Final = "fetch-bounds"


def fetch_version(level: int) -> int:
    """The version of Fetch between brokers at a level of `metadata.version`."""
    return next(version for least, version in FETCH_VERSIONS if level >= least)


def fetch(site: Site, ask: Ask) -> Any:
    """A follower's fetch."""
    version = fetch_version(site.level)
    types = request_types(Key.FETCH, version)
    settings = site.settings
    most = settings.whole("replica.fetch.max.bytes")
    topics: dict[Any, list[Any]] = {}
    for id, position in ask.positions.items():
        topics.setdefault(id.topic_id, []).append(_partition(types, id, position, most))
    forgotten: dict[Any, list[int]] = {}
    for id in ask.forgotten:
        forgotten.setdefault(id.topic_id, []).append(id.partition)
    state: dict[str, Any] = {"replica_id": site.node_id}
    if version >= 15:
        state = {
            "replica_state": make(
                types.ReplicaState,
                replica_id=site.node_id,
                replica_epoch=site.broker_epoch,
            )
        }
    return make(
        types.FetchRequest,
        **state,
        max_wait=settings.whole("replica.fetch.wait.max.ms"),
        min_bytes=settings.whole("replica.fetch.min.bytes"),
        max_bytes=settings.whole("replica.fetch.response.max.bytes"),
        session_id=ask.session_id,
        session_epoch=ask.session_epoch,
        topics=tuple(
            make(types.FetchTopic, topic_id=topic_id, partitions=tuple(partitions))
            for topic_id, partitions in topics.items()
        ),
        forgotten_topics_data=tuple(
            make(types.ForgottenTopic, topic_id=topic_id, partitions=tuple(numbers))
            for topic_id, numbers in forgotten.items()
        ),
    )


def _partition(types: Any, id: PartitionId, position: Position, most: int) -> Any:
    return make(
        types.FetchPartition,
        partition=id.partition,
        current_leader_epoch=position.leader_epoch,
        fetch_offset=position.offset,
        last_fetched_epoch=position.last_epoch,
        log_start_offset=position.start,
        partition_max_bytes=most,
    )


class Bounds:
    """Asks a leader where a partition's log begins and ends: two requests, one after the other."""

    def __init__(self, site: Site, node: NodeId, hosted: Hosted) -> None:
        self._site = site
        self._node = node
        self._hosted = hosted

    def ask(self, then: Callable[[tuple[int, int] | str], None]) -> None:
        """`then` gets (log start, log end), or why there is no answer."""

        def on_end(end: int | str) -> None:
            if isinstance(end, str):
                then(end)
            else:
                self._ask(EARLIEST_LOCAL, lambda s: then(s if isinstance(s, str) else (s, end)))

        self._ask(LATEST, on_end)

    def _ask(self, timestamp: int, then: Callable[[int | str], None]) -> None:
        where = self._site.address(self._node)
        if where is None:
            then(f"broker {self._node} is not registered")
            return
        types = request_types(Key.LIST_OFFSETS, LIST_OFFSETS_VERSION)
        partition = make(
            types.ListOffsetsPartition,
            partition_index=self._hosted.id.partition,
            current_leader_epoch=self._hosted.partition.leader_epoch,
            timestamp=timestamp,
        )
        topic = make(types.ListOffsetsTopic, name=self._hosted.name.topic, partitions=(partition,))
        request = make(types.ListOffsetsRequest, replica_id=self._site.node_id, topics=(topic,))

        def on_answer(answer: Any) -> None:
            if isinstance(answer, PeerFailed):
                then(str(answer))
                return
            told = answer.topics[0].partitions[0]
            if told.error_code != Error.NONE:
                then(f"ListOffsets: error {told.error_code}")
            else:
                then(int(told.offset))

        self._site.peers.ask(*where, CHANNEL, request, on_answer)
